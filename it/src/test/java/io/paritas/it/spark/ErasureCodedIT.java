/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.examples.spark.ExecutorProcess;
import io.paritas.examples.spark.StandaloneCluster;
import io.paritas.it.Await;
import io.paritas.spark.ec.ErasureCoded;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Erasure-coded Datasets whose executors are killed. */
class ErasureCodedIT {
    private static final int ROWS = 20_000;
    private static final int PARTITIONS = 20;

    private static SharedSpark spark;
    private SparkSession session;

    @BeforeAll
    static void start() {
        spark = SharedSpark.start(new StandaloneCluster.Size(5, 1, 512));
    }

    @AfterAll
    static void stop() throws Exception {
        spark.close();
    }

    /** Counts how often rows are computed. */
    private record Counting(LongAccumulator count) implements MapFunction<Long, Long>, Serializable {
        @Override
        public Long call(Long value) {
            count.add(1);
            return value * 3 % 1009;
        }
    }

    @Test
    void losesAnExecutor() throws Exception {
        session = spark.session(Map.of());
        LongAccumulator computed = session.sparkContext().longAccumulator();
        Dataset<Long> rows = session.range(0, ROWS, 1, PARTITIONS)
                .as(Encoders.LONG())
                .map(new Counting(computed), Encoders.LONG())
                .repartition(PARTITIONS)
                .map(new Counting(computed), Encoders.LONG());
        List<Long> expected = sorted(rows.collectAsList());
        long start = System.nanoTime();
        Dataset<Long> kept = ErasureCoded.persist(rows, "rs-4-1");
        System.out.printf("persist %.2f s, %s%n", (System.nanoTime() - start) / 1e9, ErasureCoded.health(kept));
        long each = computed.value();
        assertThat(sorted(kept.collectAsList())).isEqualTo(expected);
        Random random = new Random(1);
        for (int round = 0; round < 3; round++) {
            List<ExecutorProcess> executors = spark.cluster().executors();
            executors.get(random.nextInt(executors.size())).kill();
            start = System.nanoTime();
            assertThat(sorted(kept.collectAsList())).isEqualTo(expected);
            System.out.printf("read %.2f s, %s%n", (System.nanoTime() - start) / 1e9, ErasureCoded.health(kept));
            assertThat(computed.value()).isEqualTo(each);
            Await.until(
                    "it is repaired",
                    () -> ErasureCoded.health(kept).missingUnits() == 0,
                    () -> ErasureCoded.health(kept));
            System.out.printf("repaired %.2f s%n", (System.nanoTime() - start) / 1e9);
        }
        List<ExecutorProcess> executors = spark.cluster().executors();
        executors.get(0).kill();
        executors.get(1).kill();
        start = System.nanoTime();
        assertThat(sorted(kept.collectAsList())).isEqualTo(expected);
        System.out.printf(
                "read after two %.2f s, %s computed %d%n",
                (System.nanoTime() - start) / 1e9, ErasureCoded.health(kept), computed.value() - each);
        Await.until(
                "it is repaired", () -> ErasureCoded.health(kept).missingUnits() == 0, () -> ErasureCoded.health(kept));
        assertThat(sorted(kept.collectAsList())).isEqualTo(expected);
        ErasureCoded.unpersist(kept);
    }

    private static List<Long> sorted(List<Long> values) {
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted;
    }
}
