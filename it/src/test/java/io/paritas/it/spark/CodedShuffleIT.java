/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static io.paritas.it.spark.ShuffleMetrics.awaitCoded;
import static io.paritas.it.spark.ShuffleMetrics.metric;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.Await;
import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.shuffle.CodedShuffleManager;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Executors are killed once their map outputs are coded: no stage runs again, and the answers are what they were. */
@Order(SparkClusters.SHUFFLED)
@Tag(SparkClusters.SHARED)
class CodedShuffleIT {
    private static final int MAPS = 10;
    private static final int PARTITIONS = 10;
    private static final int ROWS = 30_000;
    private static final long ALL = (long) MAPS * ROWS;

    private static final Map<String, String> SETTINGS = settings(Map.of(
            "spark.paritas.shuffle.code", "paritas-4-1",
            "spark.paritas.shuffle.hedgeAfter", "500ms",
            "spark.paritas.shuffle.repair.interval", "500ms",
            "spark.decommission.enabled", "true",
            "spark.storage.decommission.replicationReattemptInterval", "500ms",
            "spark.network.timeout", "600s"));

    /** A code that five executors have room for, and two of them may die. Shuffles are coded for their tasks' time, not for their size. */
    private static final Map<String, String> ENCRYPTED = settings(Map.of(
            "spark.paritas.shuffle.code", "rs-3-2",
            "spark.paritas.shuffle.minSize", "1t",
            "spark.paritas.shuffle.minTaskTime", "10ms",
            "spark.io.encryption.enabled", "true"));

    /** Tasks may fail as often as they like. */
    static final Map<String, String> RANDOM = settings(Map.of(
            "spark.paritas.shuffle.code", "rs-3-2",
            "spark.paritas.shuffle.repair.interval", "500ms",
            "spark.task.maxFailures", "1000",
            "spark.stage.maxConsecutiveAttempts", "1000"));

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    /** Shuffles that nobody needs any more are forgotten, with their files. */
    private static SparkSession start(Map<String, String> settings) throws Exception {
        SparkSession session = SPARK.session(settings);
        Await.until("no map outputs are left", CodedShuffleIT::isForgotten, () -> metric("outputs"));
        Await.until("no file is left", () -> shuffleFiles(session).isEmpty(), () -> shuffleFiles(session));
        return session;
    }

    private static boolean isForgotten() {
        System.gc();
        return metric("outputs") == 0;
    }

    private static List<String> shuffleFiles(SparkSession session) {
        int slots = 2 * CodedClusters.EXECUTORS;
        return new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(slots, 0), slots)
                .flatMap(slot -> {
                    TimeUnit.MILLISECONDS.sleep(20);
                    return CollectionConverters.asJava(SparkEnv.get()
                                    .blockManager()
                                    .diskBlockManager()
                                    .getAllFiles())
                            .stream()
                            .map(File::getName)
                            .filter(name -> name.matches("(paritas-|shuffle_).*"))
                            .iterator();
                })
                .collect();
    }

    private static Map<String, String> settings(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "spark.plugins",
                ParitasPlugin.class.getName(),
                "spark.shuffle.manager",
                CodedShuffleManager.class.getName(),
                "spark.paritas.shuffle.minSize",
                "0",
                "spark.shuffle.io.retryWait",
                "200ms",
                "spark.locality.wait",
                "200ms"));
        settings.putAll(more);
        return settings;
    }

    @Test
    void anExecutorIsKilledAfterTheMapStage() throws Exception {
        SparkSession session = start(SETTINGS);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session);
        List<String> expected = digests(shuffled);
        awaitCoded();
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            long kept = metric("keptOutputs");
            CodedClusters.kill(SPARK, List.of(1));

            assertThat(digests(shuffled)).isEqualTo(expected);
            assertThat(stages.submitted()).as("only the reduce stage, once").hasSize(1);
            Await.until("its map outputs are kept", () -> metric("keptOutputs") > kept, () -> metric("keptOutputs"));
            awaitCoded();
            assertThat(metric("rebuiltOutputs")).as("made again elsewhere").isPositive();
            CodedClusters.kill(SPARK, List.of(2));

            assertThat(digests(shuffled)).as("after a second loss").isEqualTo(expected);
            assertThat(stages.retried()).isEmpty();
        }
    }

    /** Wrong bytes on the executor's disk, which reducers there read from the disk, and others fetch. */
    @Test
    void damagedBlocksAreRepaired() throws Exception {
        SparkSession session = start(SETTINGS);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session);
        List<String> expected = digests(shuffled);
        awaitCoded();
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            assertThat(spoil(session, SPARK.executors().get(1).id(), Spoiled.FILES))
                    .isPositive();

            assertThat(digests(shuffled)).isEqualTo(expected);
            assertThat(stages.retried()).isEmpty();

            assertThat(spoil(session, SPARK.executors().get(1).id(), Spoiled.FOLDERS))
                    .isPositive();

            assertThat(digests(shuffled)).as("without their folders").isEqualTo(expected);
            assertThat(stages.retried()).isEmpty();
        } finally {
            CodedClusters.kill(SPARK, List.of(1));
        }
    }

    /** Two at once, where the code survives one loss: they give their files to others, and nobody has to decode. */
    @Test
    void decommissionedExecutorsGiveTheirFilesAway() throws Exception {
        SparkSession session = start(SETTINGS);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session);
        List<String> expected = digests(shuffled);
        awaitCoded();
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            long lost = metric("keptOutputs") + metric("lostOutputs");
            long moved = metric("rebuiltOutputs");
            List<String> leaving = List.of(
                    SPARK.executors().get(1).id(), SPARK.executors().get(3).id());
            leaving.forEach(executor -> LeavingExecutorsIT.decommission(session, executor));
            Await.until(
                    leaving + " have left",
                    () -> leaving.stream().noneMatch(storing()::contains),
                    () -> storing() + ", " + (metric("rebuiltOutputs") - moved) + " outputs moved");

            assertThat(digests(shuffled)).isEqualTo(expected);
            assertThat(stages.retried()).isEmpty();
            assertThat(stages.decoded()).as("blocks").isZero();
            assertThat(metric("rebuiltOutputs")).as("copied to others").isGreaterThan(moved);
            assertThat(metric("keptOutputs") + metric("lostOutputs"))
                    .as("outputs that left with them: none but the empty one")
                    .isBetween(lost, lost + 1);
            awaitCoded();
        }
    }

    /** What happens to map outputs. */
    private enum Spoiled {
        FILES,
        /** Not the folder that has them: Spark's own tasks fail without it whenever a block's name needs a new one of them. */
        FOLDERS
    }

    /** Spoils the map outputs of an executor; returns how many there are. */
    private static int spoil(SparkSession session, String executor, Spoiled what) {
        int slots = 4 * CodedClusters.EXECUTORS;
        return new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(slots, 0), slots)
                .map(slot -> {
                    TimeUnit.MILLISECONDS.sleep(50);
                    return SparkEnv.get().executorId().equals(executor) ? spoil(what) : 0;
                })
                .reduce(Math::max);
    }

    private static int spoil(Spoiled what) throws IOException, InterruptedException {
        List<File> outputs =
                CollectionConverters.asJava(
                                SparkEnv.get().blockManager().diskBlockManager().getAllFiles())
                        .stream()
                        .filter(file -> file.getName().matches("shuffle_.*data"))
                        .toList();
        for (File output : outputs) {
            if (what == Spoiled.FOLDERS) {
                JavaUtils.deleteRecursively(output.getParentFile());
                continue;
            }
            try (RandomAccessFile bytes = new RandomAccessFile(output, "rw")) {
                for (long at = 10; at < bytes.length(); at += 1_000) {
                    bytes.seek(at);
                    bytes.write(new byte[20]);
                }
            }
        }
        return outputs.size();
    }

    /** It has a task that goes on, so it gets no other; its connections stay open, and Spark's client would wait for minutes. */
    @Test
    void aFrozenExecutorIsNotWaitedFor() throws Exception {
        SparkSession session = start(SETTINGS);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session);
        List<String> expected = digests(shuffled);
        awaitCoded();
        Gate gate = Gate.in(folder);
        int slots = CodedClusters.EXECUTORS;
        CompletableFuture<Long> busy = CompletableFuture.supplyAsync(() -> new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(slots, 0), slots)
                .mapPartitions(rows -> {
                    gate.pass();
                    return rows;
                })
                .count());
        gate.awaitWaiting(slots);
        ExecutorProcess frozen = SPARK.executors().get(2);
        frozen.freeze();
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            gate.open();
            long began = System.nanoTime();
            CompletableFuture<List<String>> reading = CompletableFuture.supplyAsync(() -> {
                try {
                    return digests(shuffled);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until("the job ends while an executor is frozen", reading::isDone, busy::isDone);
            System.out.println(
                    "with a frozen executor: " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + " ms");

            assertThat(reading.get()).isEqualTo(expected);
            assertThat(busy).isNotDone();
            assertThat(stages.retried()).isEmpty();
            assertThat(stages.decoded()).as("blocks").isPositive();
        } finally {
            frozen.thaw();
        }
        assertThat(busy.get()).isEqualTo(slots);
    }

    /** Map tasks that have ended do not run again, but those whose outputs had no parity yet. */
    @Test
    void anExecutorIsKilledInTheMapStage() throws Exception {
        SparkSession session = start(SETTINGS);
        // As many outputs on each executor: if the first ones are on few executors, there is no second full group.
        Gate gate = Gate.afterEach(folder, 2);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session, 3 * MAPS, gate);
        try (EndedTasks tasks = new EndedTasks(session.sparkContext())) {
            CompletableFuture<List<String>> reading = CompletableFuture.supplyAsync(() -> digests(shuffled, gate));
            gate.awaitWaiting(CodedClusters.EXECUTORS);
            Await.until("most outputs are coded", () -> metric("codedOutputs") >= 8, () -> metric("codedOutputs"));
            long kept = metric("keptOutputs");
            String victim = SPARK.executors().get(2).id();
            int lost = tasks.endedOn(victim);
            CodedClusters.kill(SPARK, List.of(2));
            Await.until("Spark has noticed", () -> !storing().contains(victim), CodedShuffleIT::storing);
            gate.open();

            assertThat(reading.get()).hasSize(PARTITIONS);
            long stayed = metric("keptOutputs") - kept;
            assertThat(stayed).as("of %s that it had", lost).isPositive();
            assertThat(tasks.repeated()).as("map tasks that ran again").isEqualTo(lost - (int) stayed);
        }
    }

    private static List<String> storing() {
        return CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet()
                .stream()
                .map(BlockManagerId::executorId)
                .toList();
    }

    /** Adaptive execution has made each reducer read several partitions, which are decoded as one block. */
    @Test
    void anExecutorIsKilledInTheReduceStageOfAQuery() throws Exception {
        SparkSession session = start(SETTINGS);
        session.conf().set("spark.sql.shuffle.partitions", "100");
        session.conf().set("spark.sql.adaptive.coalescePartitions.minPartitionSize", "100k");
        Gate gate = Gate.in(folder);
        Dataset<Long> rows = session.range(0, ALL, 1, MAPS)
                .repartition(functions.col("id"))
                .as(Encoders.LONG())
                .mapPartitions(gate.rows(), Encoders.LONG());
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            CompletableFuture<List<Long>> reading = CompletableFuture.supplyAsync(rows::collectAsList);
            gate.awaitWaiting(CodedClusters.EXECUTORS);
            awaitCoded();
            CodedClusters.kill(SPARK, List.of(3));
            gate.open();

            assertThat(reading.get().stream().sorted())
                    .containsExactlyElementsOf(() -> LongStream.range(0, ALL).iterator());
            assertThat(stages.submitted())
                    .as("a map stage and a reduce stage, once")
                    .hasSize(2);
            assertThat(stages.retried()).isEmpty();
        }
    }

    @Test
    void twoExecutorsAreKilledAndTheFilesAreEncrypted() throws Exception {
        SparkSession session = start(ENCRYPTED);
        JavaPairRDD<Integer, Long> shuffled = shuffled(session);
        List<String> expected = digests(shuffled);
        awaitCoded();
        try (StageAttempts stages = new StageAttempts(session.sparkContext())) {
            CodedClusters.kill(SPARK, List.of(0, 4));

            assertThat(digests(shuffled)).isEqualTo(expected);
            assertThat(stages.retried()).isEmpty();
        }
    }

    /** Idle executors go, though their files are needed: one after the other. One has parity, and an empty output. */
    @Test
    void dynamicAllocationTakesExecutorsAway() throws Exception {
        SPARK.endApplication();
        Map<String, String> wanted = new HashMap<>(SPARK.settings());
        wanted.putAll(SETTINGS);
        wanted.putAll(Map.of(
                "spark.jars", SharedSpark.jars(),
                "spark.dynamicAllocation.enabled", "true",
                "spark.dynamicAllocation.executorIdleTimeout", "1s",
                "spark.locality.wait", "0"));
        SparkSession session = SparkSession.builder().config(Map.copyOf(wanted)).getOrCreate();
        try (EndedTasks tasks = new EndedTasks(session.sparkContext())) {
            Gate gate = Gate.in(folder);
            JavaPairRDD<Integer, Long> shuffled = shuffled(session, CodedClusters.EXECUTORS, gate);
            CompletableFuture<List<String>> expected = CompletableFuture.supplyAsync(() -> digests(shuffled, gate));
            gate.awaitWaiting(CodedClusters.EXECUTORS);
            gate.open();
            expected.get();

            Await.until("two executors and the driver are left", () -> storing().size() <= 3, CodedShuffleIT::storing);
            awaitCoded();

            assertThat(digests(shuffled)).isEqualTo(expected.get());
            assertThat(tasks.repeated()).as("map tasks that ran again").isZero();
        } finally {
            session.stop();
        }
    }

    private JavaPairRDD<Integer, Long> shuffled(SparkSession session) throws Exception {
        return shuffled(session, MAPS, opened());
    }

    /** Random numbers by keys, written as they are, once the map tasks have passed a gate. */
    private static JavaPairRDD<Integer, Long> shuffled(SparkSession session, int maps, Gate gate) {
        return new JavaSparkContext(session.sparkContext())
                .parallelize(IntStream.range(0, maps).boxed().toList(), maps)
                .mapPartitions(map -> {
                    gate.pass();
                    return map;
                })
                .flatMapToPair(CodedShuffleIT::rows)
                .partitionBy(new HashPartitioner(PARTITIONS));
    }

    private static Iterator<Tuple2<Integer, Long>> rows(int map) {
        Random random = new Random(map);
        // Of different lengths, and one is empty.
        return IntStream.range(0, map == 3 ? 0 : ROWS + map * 1_000)
                .mapToObj(row -> new Tuple2<>(random.nextInt(1_000), random.nextLong()))
                .iterator();
    }

    private List<String> digests(JavaPairRDD<Integer, Long> shuffled) throws Exception {
        return digests(shuffled, opened());
    }

    private Gate opened() throws IOException {
        Gate gate = Gate.in(folder);
        gate.open();
        return gate;
    }

    /** Of each partition: what all rows are, in any order. */
    private static List<String> digests(JavaPairRDD<Integer, Long> shuffled, Gate gate) {
        return shuffled.mapPartitions(rows -> {
                    gate.pass();
                    return List.of(digest(rows)).iterator();
                })
                .collect();
    }

    private static String digest(Iterator<Tuple2<Integer, Long>> rows) {
        List<Long> hashes = new ArrayList<>();
        rows.forEachRemaining(row -> hashes.add((row._1() * 31L) ^ row._2()));
        hashes.sort(null);
        return hashes.size() + " rows, " + hashes.hashCode();
    }
}
