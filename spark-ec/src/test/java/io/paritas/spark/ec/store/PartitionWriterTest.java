/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.PluginSession;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Partitions are computed on an executor that is decommissioned: it takes no units any more. */
class PartitionWriterTest {
    private static final int RDD = 1000;

    private static final AtomicInteger COMPUTED = new AtomicInteger();

    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.storage.decommission.rddBlocks.enabled", "false")
                .config("spark.storage.decommission.shuffleBlocks.enabled", "false"));
        COMPUTED.set(0);
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    @Test
    void storesThemOnAnotherExecutor() {
        JavaRDD<Integer> rows = new JavaSparkContext(spark.sparkContext())
                .parallelize(List.of(1, 2, 3, 4), 4)
                .map(row -> row * COMPUTED.incrementAndGet());
        Map<Integer, StoredUnit> stored = new TreeMap<>();
        try (SecondExecutor second = new SecondExecutor()) {
            SparkEnv.get().blockManager().decommissionSelf();
            Jobs.run(
                    spark.sparkContext(),
                    "store",
                    rows.rdd(),
                    new PartitionWriter<>(RDD, 4, 4, rows.classTag()),
                    List.of(0, 1, 2, 3),
                    stored::put);

            assertThat(COMPUTED).hasValue(4);
            assertThat(stored).containsOnlyKeys(0, 1, 2, 3);
            stored.keySet().forEach(partition -> assertThat(new UnitStore().locations(new RDDBlockId(RDD, partition)))
                    .containsExactly(List.of(second.id())));
        }
    }
}
