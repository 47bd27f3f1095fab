/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.store.CodingTotals;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What it costs to keep rows on executors so that they survive them, and how long an action takes when one is killed:
 * erasure-coded, beside Spark's storage levels, on the same five executors. No test: it asserts that rows are right, and prints.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=KeptRowsBenchmark
 * }</pre>
 */
class KeptRowsBenchmark {
    private static final int EXECUTORS = Integer.getInteger("bench.executors", 5);
    private static final int PARTITIONS = 4 * EXECUTORS;
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 7);
    private static final int KILLS = Integer.getInteger("bench.kills", 5);
    private static final int MEGABYTES = Integer.getInteger("bench.megabytes", 200);
    private static final int LINEAGE_SECONDS = Integer.getInteger("bench.lineageSeconds", 60);

    /* Which ways to keep rows are measured when executors are killed. */
    private static final String WANTED = System.getProperty("bench.kept", "(paritas|rs|MEMORY).*");

    @TempDir
    static Path folder;

    /** A way to keep rows. */
    private record Keeper(String name, UnaryOperator<Dataset<Row>> keep, Consumer<Dataset<Row>> drop) {
        static Keeper level(String name, StorageLevel level) {
            return new Keeper(name, rows -> rows.select("*").persist(level), rows -> rows.unpersist(true));
        }

        static Keeper coded(String code) {
            return new Keeper(code, rows -> ErasureCoded.persist(rows, code), ErasureCoded::unpersist);
        }
    }

    private static List<Keeper> keepers() {
        return List.of(
                Keeper.level("MEMORY_ONLY_SER", StorageLevel.MEMORY_ONLY_SER()),
                Keeper.coded("paritas-" + (EXECUTORS - 1) + "-1"),
                Keeper.coded("rs-" + (EXECUTORS - 2) + "-2"),
                Keeper.level("MEMORY_ONLY_SER_2", StorageLevel.MEMORY_ONLY_SER_2()),
                Keeper.level("DISK_ONLY_2", StorageLevel.DISK_ONLY_2()));
    }

    @Test
    void timeAndMemoryToKeep() throws Exception {
        try (StandaloneCluster cluster = cluster()) {
            SparkSession session = session(cluster);
            Path file = folder.resolve("rows");
            int rows = MEGABYTES << 10;
            session.range(0, rows, 1, PARTITIONS)
                    .selectExpr("id", "unhex(repeat(sha2(cast(id AS STRING), 512), 8)) AS bytes")
                    .selectExpr("id", "aes_encrypt(bytes, 'paritasparitas16', 'ECB') AS bytes")
                    .selectExpr("id", "bytes", "substr(bytes, 1, 512) AS more")
                    .write()
                    .parquet(file.toString());
            Dataset<Row> input = session.read().parquet(file.toString()).repartition(PARTITIONS);
            noop(input);
            Map<String, double[]> seconds = new HashMap<>();
            Map<String, Long> bytes = new HashMap<>();
            List<Keeper> keepers = keepers();
            for (int round = -1; round < ROUNDS; round++) {
                for (Keeper keeper : keepers) {
                    long start = System.nanoTime();
                    Dataset<Row> kept = keeper.keep().apply(input);
                    assertThat(kept.count()).isEqualTo(rows);
                    double took = (System.nanoTime() - start) / 1e9;
                    if (round >= 0) {
                        seconds.computeIfAbsent(keeper.name(), none -> new double[ROUNDS])[round] = took;
                        bytes.put(keeper.name(), stored(session));
                    }
                    keeper.drop().accept(kept);
                }
            }
            double plain = Median.of(seconds.get(keepers.get(0).name()));
            long data = bytes.get(keepers.get(0).name());
            System.out.printf(
                    "| %d MB in %d partitions, %d executors | s (median of %d) | x | MB | x |%n|---|---:|---:|---:|---:|%n",
                    MEGABYTES, PARTITIONS, EXECUTORS, ROUNDS);
            for (Keeper keeper : keepers) {
                double took = Median.of(seconds.get(keeper.name()));
                long stored = bytes.get(keeper.name());
                System.out.printf(
                        "| %s | %.2f | %.2f | %.1f | %.3f |%n",
                        keeper.name(), took, took / plain, stored / 1e6, (double) stored / data);
            }
            shareOfCoding(session);
            session.stop();
        }
    }

    /** What all block managers hold, in memory and on disk. */
    private static long stored(SparkSession session) throws InterruptedException {
        TimeUnit.SECONDS.sleep(1);
        return Arrays.stream(session.sparkContext().getRDDStorageInfo())
                .mapToLong(info -> info.memSize() + info.diskSize())
                .sum();
    }

    /** Time spent coding, of all processor time that executors have used. */
    private static void shareOfCoding(SparkSession session) {
        List<double[]> shares = new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(EXECUTORS, 0), EXECUTORS)
                .map(ignored -> new double[] {
                    CodingTotals.nanos() / 1e9,
                    ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                                    .getProcessCpuTime()
                            / 1e9
                })
                .collect();
        double coding = shares.stream().mapToDouble(share -> share[0]).sum();
        double all = shares.stream().mapToDouble(share -> share[1]).sum();
        System.out.printf(
                "coding took %.2f s of %.1f s of processor time of the executors: %.2f %%%n",
                coding, all, 100 * coding / all);
    }

    /** Rows that take long to make. */
    private record Slow(int millis) implements MapPartitionsFunction<Row, Row> {
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<Row> call(Iterator<Row> rows) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
            return rows;
        }
    }

    @Test
    void anActionAfterAKill() throws Exception {
        try (StandaloneCluster cluster = cluster()) {
            System.out.printf(
                    "| rows of a lineage of %d s | action, s (median) | after kill -9, s (median of %d) | worst | x |%n|---|---:|---:|---:|---:|%n",
                    LINEAGE_SECONDS, KILLS);
            for (Keeper keeper : keepers()) {
                if (!keeper.name().matches(WANTED)) {
                    continue;
                }
                SparkSession session = session(cluster);
                Dataset<Row> rows = session.range(0, 80 << 10, 1, PARTITIONS)
                        .selectExpr(
                                "id",
                                "sha2(cast(id AS STRING), 512) AS text",
                                "unhex(repeat(sha2(cast(id AS STRING), 512), 8)) AS bytes");
                Dataset<Row> slow = rows.mapPartitions(
                        new Slow(1000 * LINEAGE_SECONDS * EXECUTORS / PARTITIONS), Encoders.row(rows.schema()));
                Dataset<Row> kept = keeper.keep().apply(slow);
                action(kept);
                double[] warm = new double[5];
                for (int i = 0; i < warm.length; i++) {
                    warm[i] = action(kept);
                }
                double[] killed = new double[KILLS];
                Random random = new Random(1);
                for (int kill = 0; kill < KILLS; kill++) {
                    List<ExecutorProcess> executors = cluster.executors();
                    executors.get(random.nextInt(executors.size())).kill();
                    killed[kill] = action(kept);
                    awaitExecutors(session);
                    TimeUnit.SECONDS.sleep(15); // repair, or the copies that Spark makes again
                    action(kept);
                }
                System.out.printf(
                        "| %s | %.2f | %.2f | %.2f | %.2f |%n",
                        keeper.name(),
                        Median.of(warm),
                        Median.of(killed),
                        Arrays.stream(killed).max().orElse(0),
                        Median.of(killed) / Median.of(warm));
                keeper.drop().accept(kept);
                session.stop();
                while (!cluster.executors().isEmpty()) {
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            }
        }
    }

    private static double action(Dataset<Row> rows) {
        long start = System.nanoTime();
        List<Row> answer = rows.selectExpr("count(*)", "sum(length(text))", "sum(length(bytes))", "bit_xor(id)")
                .collectAsList();
        assertThat(answer.get(0).getLong(0)).isEqualTo(80 << 10);
        assertThat(answer.get(0).getLong(2)).isEqualTo(512L * (80 << 10));
        return (System.nanoTime() - start) / 1e9;
    }

    private static StandaloneCluster cluster() throws IOException, InterruptedException {
        return StandaloneCluster.start(new StandaloneCluster.Size(EXECUTORS, 1, 1024));
    }

    private static SparkSession session(StandaloneCluster cluster) throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.executor.extraJavaOptions", "--add-modules=jdk.incubator.vector");
        settings.put("spark.locality.wait", "0");
        SparkSession session = SparkSession.builder().config(settings).getOrCreate();
        awaitExecutors(session);
        return session;
    }

    private static void awaitExecutors(SparkSession session) throws InterruptedException {
        while (session.sparkContext().getExecutorIds().size() < EXECUTORS) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static void noop(Dataset<Row> rows) {
        rows.write().format("noop").mode("overwrite").save();
    }
}
