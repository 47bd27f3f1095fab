/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A unit is decoded on an executor that has others of its stripe. */
class DecodedUnitTest {
    private static final List<Integer> ROWS = IntStream.range(0, 100).boxed().toList();

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    /** They would be lost together. */
    @Test
    void isNotKeptBesideThem() {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        ErasureCodedStore<Integer> kept = ErasureCodedStore.of(
                context.parallelize(ROWS, 4).rdd(),
                CodeName.parse("rs-4-1"),
                new StoreSettings(Duration.ofSeconds(5), false, Duration.ZERO, Duration.ofHours(1), 0));
        UnitStore here = new UnitStore();
        RDDBlockId block = new RDDBlockId(kept.rdd().id(), 2);
        here.remove(block);

        assertThat(kept.rdd().toJavaRDD().collect()).isEqualTo(ROWS);
        assertThat(here.has(block)).isFalse();
        assertThat(kept.rdd().toJavaRDD().collect()).isEqualTo(ROWS);

        assertThat(kept.rdd().metrics().decoded().value()).isEqualTo(2);
        kept.close();
    }
}
