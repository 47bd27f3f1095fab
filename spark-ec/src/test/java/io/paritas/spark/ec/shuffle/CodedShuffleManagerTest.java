/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.plugin.Report;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.FallbackStorage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Our reader does what Spark's does: with one executor, which is the driver, nothing is coded. */
@EnabledIf(value = "shufflesAreCoded", disabledReason = "shuffles are coded from Spark 4.1 on")
class CodedShuffleManagerTest {
    private static final int ROWS = 5_000;
    private static final int KEYS = 97;

    @TempDir
    static Path disks;

    @TempDir
    static Path storage;

    private static SparkSession spark;

    static boolean shufflesAreCoded() {
        return Obstacles.of(new SparkConf(false)).isEmpty();
    }

    @BeforeAll
    static void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.plugins", ParitasPlugin.class.getName())
                .config("spark.shuffle.manager", CodedShuffleManager.class.getName())
                .config("spark.local.dir", disks.resolve("0") + "," + disks.resolve("1"))
                .config(
                        "spark.storage.decommission.fallbackStorage.path",
                        storage.toUri().toString())
                .config("spark.decommission.enabled", "true")
                .config("spark.paritas.shuffle.minSize", "0"));
    }

    @AfterAll
    static void stop() {
        spark.stop();
        assertThat(ShuffleCoding.current()).isEmpty();
        assertThat(ShuffleExecutor.current()).isEmpty();
    }

    private static JavaPairRDD<Integer, Integer> pairs() {
        return new JavaSparkContext(spark.sparkContext())
                .parallelize(IntStream.range(0, ROWS).boxed().toList(), 6)
                .mapToPair(row -> new Tuple2<>(row % KEYS, row));
    }

    private static Map<Integer, Integer> sums() {
        return IntStream.range(0, ROWS)
                .boxed()
                .collect(Collectors.groupingBy(row -> row % KEYS, Collectors.summingInt(row -> row)));
    }

    @Test
    void itIsTheManagerOfTheApplication() {
        assertThat(SparkEnv.get().shuffleManager()).isInstanceOf(CodedShuffleManager.class);
        assertThat(SparkEnv.get().shuffleManager().shuffleBlockResolver()).isInstanceOf(CodedBlockResolver.class);
        assertThat(ShuffleCoding.current()).isPresent();
        assertThat(spark.conf().get("spark.shuffle.readHostLocalDisk")).isEqualTo("false");
    }

    /** Among them may be units of kept rows. */
    @Test
    void decommissionedExecutorsGiveAwayBlocksOfRddsToo() {
        assertThat(spark.conf().get("spark.storage.decommission.enabled")).isEqualTo("true");
        assertThat(spark.conf().get("spark.storage.decommission.rddBlocks.enabled", "as in Spark"))
                .isEqualTo("as in Spark");
    }

    /** Files cannot be renamed between disks. */
    @Test
    void unfinishedOutputsAreOnTheDiskWhereTheyAreKept() throws IOException {
        var resolver = (CodedBlockResolver) SparkEnv.get().shuffleManager().shuffleBlockResolver();
        Set<Path> used = new HashSet<>();
        for (int map = 0; map < 20; map++) {
            File unfinished = resolver.newFile(1_000, map);
            Files.write(unfinished.toPath(), new byte[] {1, 2, 3});
            resolver.commit(1_000, map, new long[] {1, 2}, unfinished);

            File kept = resolver.getDataFile(1_000, map);
            assertThat(kept).hasBinaryContent(new byte[] {1, 2, 3}).hasParent(unfinished.getParentFile());
            used.add(disks.relativize(kept.toPath()).getName(0));
        }
        assertThat(used).as("disks").hasSize(2);
    }

    @Test
    void valuesAreCombinedByMapTasksAndReducers() {
        assertThat(pairs().reduceByKey(Integer::sum, 5).collectAsMap()).isEqualTo(sums());
    }

    @Test
    void valuesAreCombinedByReducersOnly() {
        assertThat(pairs().groupByKey(5)
                        .mapValues(values -> {
                            int sum = 0;
                            for (int value : values) {
                                sum += value;
                            }
                            return sum;
                        })
                        .collectAsMap())
                .isEqualTo(sums());
    }

    @Test
    void rowsAreSortedByReducers() {
        List<Integer> sorted =
                pairs().mapToPair(Tuple2::swap).sortByKey(false, 4).keys().collect();
        assertThat(sorted)
                .isEqualTo(
                        IntStream.range(0, ROWS).mapToObj(row -> ROWS - 1 - row).toList());

        List<List<Integer>> partitions = pairs().repartitionAndSortWithinPartitions(new HashPartitioner(3))
                .keys()
                .glom()
                .collect();
        assertThat(partitions).hasSize(3).allSatisfy(keys -> assertThat(keys).isSorted());
    }

    /** Adaptive execution reads several partitions at once, and parts of one. */
    @Test
    void queriesAreAnswered() {
        List<Row> rows = spark.range(0, ROWS, 1, 6)
                .selectExpr("id % 97 AS k", "id AS v")
                .repartition(20)
                .join(
                        spark.range(0, KEYS, 1, 3)
                                .selectExpr("id AS k", "id * 2 AS w")
                                .hint("merge"),
                        "k")
                .groupBy("k")
                .agg(Map.of("v", "sum", "w", "max"))
                .orderBy("k")
                .selectExpr("CAST(k AS INT)", "CAST(`sum(v)` AS INT)", "CAST(`max(w)` AS INT)")
                .collectAsList();

        assertThat(rows).hasSize(KEYS).allSatisfy(row -> {
            assertThat(row.getInt(1)).isEqualTo(sums().get(row.getInt(0)));
            assertThat(row.getInt(2)).isEqualTo(2 * row.getInt(0));
        });
    }

    @Test
    void aShuffleThatIsOverIsForgotten() {
        JavaPairRDD<Integer, Integer> reduced = pairs().partitionBy(new HashPartitioner(2));
        reduced.count();
        int shuffles = ShuffleCoding.current().orElseThrow().count(ShuffleGroups.Progress::outputs);

        SparkEnv.get().shuffleManager().unregisterShuffle(shuffle(reduced));

        assertThat(ShuffleCoding.current().orElseThrow().count(ShuffleGroups.Progress::outputs))
                .isEqualTo(shuffles - 6);
    }

    /** Where Spark copies files that no executor takes from one that leaves. */
    @Test
    void outputsAreReadInTheFallbackStorage() throws InterruptedException {
        JavaPairRDD<Integer, Integer> reduced = pairs().partitionBy(new HashPartitioner(2));
        reduced.count();
        var resolver = (CodedBlockResolver) SparkEnv.get().shuffleManager().shuffleBlockResolver();
        FallbackStorage fallback = new FallbackStorage(SparkEnv.get().conf());
        for (MapStatus output : outputs(reduced)) {
            fallback.copy(
                    new ShuffleBlockInfo(shuffle(reduced), output.mapId()),
                    SparkEnv.get().blockManager());
            resolver.removeDataByMap(shuffle(reduced), output.mapId());
        }
        for (int wait = 0; wait < 1_000 && !areInFallbackStorage(reduced); wait++) {
            Thread.sleep(10);
        }
        assertThat(ShuffleCoding.current().orElseThrow().report().rows())
                .as("executors have none of its outputs")
                .anySatisfy(row -> assertThat(row).startsWith(String.valueOf(shuffle(reduced)), "0"));

        assertThat(reduced.values().collect())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, ROWS).boxed().toList());

        assertThat(areInFallbackStorage(reduced)).as("nothing was made again").isTrue();
    }

    private static MapStatus[] outputs(JavaPairRDD<?, ?> shuffled) {
        var tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        return tracker.shuffleStatuses().apply(shuffle(shuffled)).mapStatuses();
    }

    private static boolean areInFallbackStorage(JavaPairRDD<?, ?> shuffled) {
        return Arrays.stream(outputs(shuffled))
                .allMatch(output -> output != null && ApplicationExecutors.isFallbackStorage(output.location()));
    }

    /** Spark drops events where a listener is slow. */
    @Test
    void theLossOfAnExecutorWaitsForNoOtherListener() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        SparkListener slow = new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        spark.sparkContext().addSparkListener(slow);
        var tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        ShuffleStatus status = ShuffleCoding.current().orElseThrow().register(1_000_000, 1, 1);
        tracker.shuffleStatuses().put(1_000_000, status);
        status.addMapOutput(0, MapStatus$.MODULE$.apply(Executors.executor(77), new long[] {1_000}, 0, 0));
        try {
            spark.sparkContext().listenerBus().post(new SparkListenerExecutorRemoved(0, "77", "a test"));
            for (int wait = 0; wait < 1_000 && status.numAvailableMapOutputs() > 0; wait++) {
                Thread.sleep(10);
            }
            assertThat(status.numAvailableMapOutputs()).isZero();
        } finally {
            end.countDown();
            spark.sparkContext().removeSparkListener(slow);
            tracker.unregisterShuffle(1_000_000);
            ShuffleCoding.current().orElseThrow().unregister(1_000_000);
        }
    }

    /** Spark's page of the stage shows them; other stages have their own. */
    @Test
    void whatTasksDecodeIsCountedForTheirStage() throws Exception {
        List<Map<String, Object>> stages = new ArrayList<>();
        SparkListener listener = new SparkListener() {
            @Override
            public void onStageCompleted(SparkListenerStageCompleted stage) {
                Map<String, Object> counted = new TreeMap<>();
                CollectionConverters.asJava(stage.stageInfo().accumulables())
                        .values()
                        .forEach(
                                one -> counted.put(one.name().get(), one.value().get()));
                counted.keySet().removeIf(name -> !name.startsWith("shuffle "));
                stages.add(counted);
            }
        };
        spark.sparkContext().addSparkListener(listener);
        for (int stage = 0; stage < 3; stage++) {
            long bytes = 1_000L * stage;
            new JavaSparkContext(spark.sparkContext())
                    .parallelize(List.of(1, 2, 3, 4), 4)
                    .foreach(task -> {
                        for (long block = 0; block < bytes; block += 1_000) {
                            ShuffleExecutor.current()
                                    .orElseThrow()
                                    .reads(TaskContext.get())
                                    .add(1_000);
                        }
                    });
        }
        spark.sparkContext().listenerBus().waitUntilEmpty();
        spark.sparkContext().removeSparkListener(listener);

        assertThat(stages)
                .containsExactly(
                        Map.of(),
                        Map.of("shuffle blocks decoded", 4L, "shuffle bytes decoded", 4_000L),
                        Map.of("shuffle blocks decoded", 8L, "shuffle bytes decoded", 8_000L));
    }

    @Test
    void sparksPagesShowThem() {
        JavaPairRDD<Integer, Integer> reduced = pairs().partitionBy(new HashPartitioner(2));
        reduced.count();

        Report report = ShuffleCoding.current().orElseThrow().report();

        assertThat(report.rows()).anySatisfy(row -> assertThat(row)
                .startsWith(String.valueOf(shuffle(reduced)), "6", "0")
                .endsWith("0.0 B", "0", "0", "0"));
    }

    private static int shuffle(JavaPairRDD<?, ?> shuffled) {
        return ((ShuffleDependency<?, ?, ?>) shuffled.rdd().dependencies().head()).shuffleId();
    }
}
