/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keeping works whatever {@code spark.serializer} is. */
class KryoTest {
    @RegisterExtension
    static final PluginSession SESSION = PluginSession.kryo();

    @Test
    void keepsAndRepairsRows() {
        assumeTrue(SESSION.spark().version().compareTo("4.1") >= 0, "Spark 4.0 registers no class of its own cache");
        Dataset<Long> kept = ErasureCoded.persist(SESSION.spark().range(0, 100, 1, 4), "rs-4-2");
        ErasureCodedStore<?> store = ErasureCodedDatasets.store(kept).orElseThrow();
        new UnitStore().remove(new RDDBlockId(store.rdd().id(), 1));
        new UnitStore().remove(new RDDBlockId(store.rdd().id(), 2));
        assertThat(store.health().missingUnits()).isEqualTo(2);

        assertThat(store.repair()).isPositive();

        assertThat(store.health().missingUnits()).isZero();
        assertThat(kept.count()).isEqualTo(100);
        ErasureCoded.unpersist(kept);
    }

    @Test
    void keepsElements() {
        JavaRDD<String> kept = ErasureCoded.persist(
                new JavaSparkContext(SESSION.spark().sparkContext()).parallelize(List.of("a", "b", "c"), 3), "rs-2-1");
        assertThat(kept.collect()).containsExactly("a", "b", "c");
        kept.unpersist();
    }
}
