/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The executor that reads or repairs a unit cannot store it. All units are on disk, because memory is too small for any. */
class FullDiskTest {
    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.memory.fraction", "0.001")
                .config("spark.paritas.ec.repair.enabled", "false"));
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    @Test
    void unitsThatCannotBeStoredAreReadAndRepairedLater() throws Exception {
        List<byte[]> rows = new ArrayList<>();
        for (int row = 0; row < 3; row++) {
            rows.add(new byte[4 << 20]);
            new Random(row).nextBytes(rows.get(row));
        }
        ErasureCodedStore<byte[]> store = ErasureCodedStore.of(
                new JavaSparkContext(spark.sparkContext()).parallelize(rows, 3).rdd(),
                CodeName.parse("rs-3-1"),
                StoreSettings.of(spark.sparkContext().conf()));
        Path file = SparkEnv.get()
                .blockManager()
                .diskBlockManager()
                .getFile(new RDDBlockId(store.rdd().id(), 1).name())
                .toPath();
        Files.delete(file);
        Path obstacle = Files.createDirectories(file.resolve("obstacle"));

        assertThat(store.rdd().toJavaRDD().collect()).containsExactly(rows.toArray(byte[][]::new));
        assertThat(store.repair()).isZero();
        assertThat(store.health().missingUnits()).isEqualTo(1);

        Files.delete(obstacle);
        Files.delete(file);
        assertThat(store.repair()).isPositive();
        assertThat(store.health().missingUnits()).isZero();
        store.close();
    }
}
