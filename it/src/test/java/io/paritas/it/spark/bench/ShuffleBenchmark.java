/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static io.paritas.it.spark.ShuffleMetrics.awaitCoded;
import static io.paritas.it.spark.ShuffleMetrics.metric;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.spark.SharedSpark;
import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.shuffle.CodedShuffleManager;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.Test;

/**
 * A join and a sort, on Spark's shuffle and on the coded one, while executors are killed, frozen or slow, or have a slow disk. No test: it asserts that answers are
 * right, and prints a line for each case. It takes up to five times {@code bench.megabytes} of disk, below the temporary folder, and
 * deletes all of it. Reducers need {@code bench.heap} megabytes each, about twice their part of what is shuffled or they spill.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=ShuffleBenchmark -Dbench.megabytes=10000 -Dbench.heap=2000 -Dbench.rounds=1
 * }</pre>
 */
class ShuffleBenchmark {
    private static final int EXECUTORS = Integer.getInteger("bench.executors", 5);
    private static final int MEGABYTES = Integer.getInteger("bench.megabytes", 2_000);
    private static final int ROUNDS = Integer.getInteger("bench.rounds", 3);
    private static final int HEAP_MEGABYTES = Integer.getInteger("bench.heap", 640);

    /** Of the join by which JVMs get warm, at most. */
    private static final int WARMING_MEGABYTES = 600;

    /** More options of the executors' JVMs. */
    private static final String JAVA = System.getProperty("bench.java", "");

    /** Which shuffles, and what happens to them. */
    private static final String WANTED = System.getProperty("bench.cases", ".*");

    private static final String NONE = "nothing";

    /** Of each way and trouble. */
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    private final Map<String, String> more = new HashMap<>();
    private List<Long> expected;

    /** Spark's shuffle, if it has no code. */
    private record Way(String name, String code) {
        String with(String trouble) {
            return name + ", " + trouble;
        }

        boolean isWanted(String trouble) {
            return with(trouble).matches(WANTED);
        }
    }

    @FunctionalInterface
    private interface Trouble {
        AutoCloseable begin(StandaloneCluster cluster, SparkSession session) throws IOException;
    }

    private static List<Way> ways() {
        return List.of(
                new Way("Spark", ""),
                new Way("paritas-" + (EXECUTORS - 1) + "-1", "paritas-" + (EXECUTORS - 1) + "-1"),
                new Way("rs-" + (EXECUTORS - 2) + "-2", "rs-" + (EXECUTORS - 2) + "-2"));
    }

    /** By name, in the order in which they come: who is frozen may be removed by Spark. */
    private static Map<String, Trouble> troubles() {
        Map<String, Trouble> troubles = new LinkedHashMap<>();
        troubles.put(NONE, (cluster, session) -> () -> {});
        troubles.put("one killed after the map stage", (cluster, session) -> {
            one(cluster).kill();
            return () -> {};
        });
        troubles.put(
                "one killed in the reduce stage",
                (cluster, session) -> new KillAfterTasks(session.sparkContext(), one(cluster), partitions() / 2));
        troubles.put("two killed after the map stage", (cluster, session) -> {
            mayGo(cluster).forEach(ExecutorProcess::kill);
            return () -> {};
        });
        troubles.put("one frozen after the map stage", (cluster, session) -> {
            ExecutorProcess frozen = one(cluster);
            frozen.freeze();
            return () -> {
                if (frozen.handle().isAlive()) { // Spark ends who has said nothing for two minutes.
                    frozen.thaw();
                }
            };
        });
        troubles.put("one slow after the map stage", (cluster, session) -> new SlowExecutor(one(cluster)));
        if (SlowDisk.isPossible()) {
            troubles.put(
                    "one with a slow disk after the map stage",
                    (cluster, session) -> new SlowDisk(one(cluster), cluster.folder()));
        }
        return troubles;
    }

    /** Two executors, of which one or both get into trouble: the oldest ones, which are not too slow to get tasks. */
    private static Stream<ExecutorProcess> mayGo(StandaloneCluster cluster) {
        return cluster.executors().stream()
                .sorted(Comparator.comparingInt(executor -> Integer.parseInt(executor.id())))
                .limit(2);
    }

    private static ExecutorProcess one(StandaloneCluster cluster) {
        return mayGo(cluster).findFirst().orElseThrow();
    }

    private static ShuffledJoin join(int megabytes) {
        return new ShuffledJoin(megabytes * 1_000_000L / ShuffledJoin.ROW_BYTES, 4 * EXECUTORS, partitions());
    }

    private static int partitions() {
        return 8 * EXECUTORS;
    }

    @Test
    void joinAndSort() throws Exception {
        ShuffledJoin join = join(MEGABYTES);
        ShuffledJoin small = join(Math.min(MEGABYTES, WARMING_MEGABYTES));
        try (StandaloneCluster cluster =
                StandaloneCluster.start(new StandaloneCluster.Size(EXECUTORS, 1, HEAP_MEGABYTES))) {
            for (int round = 0; round < ROUNDS; round++) {
                for (Way way : ways()) {
                    if (troubles().keySet().stream().noneMatch(way::isWanted)) {
                        continue;
                    }
                    SparkSession session = session(cluster, way);
                    try {
                        awaitExecutors(cluster, session);
                        small.rows(session).mapPartitions(ShuffledJoin::digest).collect(); // The JVMs get warm.
                        System.gc();
                        measure(cluster, session, way, join, round);
                    } finally {
                        session.stop();
                        while (!cluster.executors().isEmpty()) {
                            TimeUnit.MILLISECONDS.sleep(50);
                        }
                    }
                }
            }
        }
        if (!SlowDisk.isPossible()) {
            System.out.println("No disk was slow: that takes the superuser, and control groups of version 1");
        }
        print();
    }

    /** Each round begins with another case: JVMs are the slowest in the first one. */
    private void measure(StandaloneCluster cluster, SparkSession session, Way way, ShuffledJoin join, int round)
            throws Exception {
        List<Map.Entry<String, Trouble>> wanted = new ArrayList<>(troubles().entrySet());
        wanted.removeIf(trouble -> !way.isWanted(trouble.getKey()));
        Collections.rotate(wanted, -round);
        for (Map.Entry<String, Trouble> trouble : wanted) {
            String name = way.with(trouble.getKey());
            awaitExecutors(cluster, session);
            warm(session);
            try (StageCounts counts = new StageCounts(session.sparkContext())) {
                JavaRDD<InternalRow> rows = join.rows(session);
                long parity = parityBytes(way);
                Map<ExecutorProcess, Duration> before = processorTimes(cluster);
                long start = System.nanoTime();
                rows.mapPartitions(ShuffledJoin::digest).take(1);
                double map = since(start);
                start = System.nanoTime();
                if (!way.code().isEmpty()) {
                    awaitCoded();
                }
                double coding = since(start);
                // Otherwise it would not matter who goes.
                assertThat(counts.mapped().keySet())
                        .containsAll(mayGo(cluster).map(ExecutorProcess::id).toList());
                double reduce;
                double processors;
                try (AutoCloseable ignored = trouble.getValue().begin(cluster, session)) {
                    start = System.nanoTime();
                    List<Long> digests =
                            rows.mapPartitions(ShuffledJoin::digest).collect();
                    reduce = since(start);
                    processors = processorSeconds(before);
                    expected = expected == null ? digests : expected;
                    assertThat(digests).as(name).isEqualTo(expected);
                }
                seconds.computeIfAbsent(name, none -> new ArrayList<>()).add(map + reduce);
                String line = String.format(
                        Locale.ROOT,
                        "map %.1f s, coding after it %.1f s, reduce %.1f s, %.1f s of processors, %.0f MB of map outputs, %.0f MB of parity, %d stages retried",
                        map,
                        coding,
                        reduce,
                        processors,
                        counts.writtenBytes() / 1e6,
                        (parityBytes(way) - parity) / 1e6,
                        counts.retried());
                more.put(name, line);
                System.out.println(name + ": " + line);
            }
            System.gc(); // Spark deletes the shuffles.
        }
    }

    /** New executors get tasks, a while after they have registered, and their classes. */
    private static void warm(SparkSession session) {
        while (SharedSpark.working(session, EXECUTORS).size() < EXECUTORS) {
            Thread.onSpinWait();
        }
        session.range(0, 1_000_000, 1, 4 * EXECUTORS).repartition(partitions()).count();
    }

    private static Map<ExecutorProcess, Duration> processorTimes(StandaloneCluster cluster) {
        return cluster.executors().stream()
                .collect(Collectors.toMap(executor -> executor, ShuffleBenchmark::processorTime));
    }

    private static Duration processorTime(ExecutorProcess executor) {
        return executor.handle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** What executors have used since then that are still alive. */
    private static double processorSeconds(Map<ExecutorProcess, Duration> before) {
        return before.entrySet().stream()
                .filter(executor -> executor.getKey().handle().isAlive())
                .mapToDouble(executor -> processorTime(executor.getKey())
                                .minus(executor.getValue())
                                .toMillis()
                        / 1e3)
                .sum();
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static long parityBytes(Way way) {
        return way.code().isEmpty() ? 0 : metric("codedBytes");
    }

    private void print() {
        System.out.printf(
                "| %d MB, %d executors, %d rounds | s (median) | x of nothing | x of Spark | last round |%n|---|---:|---:|---:|---|%n",
                MEGABYTES, EXECUTORS, ROUNDS);
        seconds.forEach((name, all) -> {
            String[] parts = name.split(", ", 2);
            double median = median(name);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %.2f | %.2f | %s |%n",
                    name,
                    median,
                    median / median(parts[0] + ", " + NONE),
                    median / median("Spark, " + parts[1]),
                    more.get(name));
        });
    }

    private double median(String name) {
        List<Double> all = seconds.getOrDefault(name, List.of());
        return all.isEmpty()
                ? Double.NaN
                : Median.of(all.stream().mapToDouble(one -> one).toArray());
    }

    private static SparkSession session(StandaloneCluster cluster, Way way) throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(cluster.settings());
        settings.put("spark.jars", SharedSpark.jars());
        settings.put("spark.executor.extraJavaOptions", "--add-modules=jdk.incubator.vector " + JAVA);
        settings.put("spark.locality.wait", "0");
        settings.put("spark.speculation", "true");
        settings.put("spark.sql.adaptive.enabled", "false");
        settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
        settings.put("spark.sql.shuffle.partitions", String.valueOf(partitions()));
        if (!way.code().isEmpty()) {
            settings.put("spark.plugins", ParitasPlugin.class.getName());
            settings.put("spark.shuffle.manager", CodedShuffleManager.class.getName());
            settings.put("spark.paritas.shuffle.code", way.code());
            // The wait for parity would never end for a shuffle that is too small to be coded.
            settings.put("spark.paritas.shuffle.minSize", "1b");
        }
        return SparkSession.builder().config(settings).getOrCreate();
    }

    /** All are there, and those that have died are not. */
    private static void awaitExecutors(StandaloneCluster cluster, SparkSession session) throws InterruptedException {
        while (cluster.executors().size() < EXECUTORS
                || !cluster.executors().stream()
                        .allMatch(executor ->
                                session.sparkContext().getExecutorIds().contains(executor.id()))) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
