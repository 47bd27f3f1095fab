/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.time.Duration;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The driver is alone, as in a cluster that has lost all executors, or has let them go. */
class NoExecutorTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** Its heap is not for them, and they would be lost with it. */
    @Test
    void repairPutsNoUnitsOnTheDriverOfACluster() {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        ErasureCodedStore<Integer> kept = ErasureCodedStore.of(
                context.parallelize(IntStream.range(0, 100).boxed().toList(), 4).rdd(),
                CodeName.parse("rs-4-1"),
                new StoreSettings(Duration.ofSeconds(10), false, Duration.ZERO, Duration.ofHours(1), 0));
        SparkConf conf = SESSION.spark().sparkContext().conf();
        String master = conf.get("spark.master");
        new UnitStore().remove(new RDDBlockId(kept.rdd().id(), 2));

        conf.set("spark.master", "spark://localhost:7077");
        try {
            assertThat(kept.repair()).isZero();
            assertThat(kept.health().missingUnits()).isEqualTo(1);
        } finally {
            conf.set("spark.master", master);
        }

        assertThat(kept.repair()).as("in local mode, it is the executor").isPositive();
        assertThat(kept.health().missingUnits()).isZero();
        kept.close();
    }
}
