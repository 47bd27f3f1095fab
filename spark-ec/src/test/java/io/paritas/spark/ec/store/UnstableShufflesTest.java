/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

class UnstableShufflesTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final int PARTITIONS = 4;

    /** Of the job that each test may begin. */
    private static volatile CountDownLatch began;

    private static volatile CountDownLatch end;

    @TempDir
    Path directory;

    @BeforeEach
    void noJobHasBegun() {
        began = new CountDownLatch(PARTITIONS);
        end = new CountDownLatch(1);
    }

    /** Rows after some shuffles, all but the first one of which may come out otherwise each time. */
    static JavaRDD<Integer> shuffled(SparkContext context, int rows, int shuffles) {
        JavaRDD<Integer> shuffled = new JavaSparkContext(context)
                .parallelize(IntStream.range(0, rows).boxed().toList(), PARTITIONS)
                .repartition(PARTITIONS);
        for (int i = 1; i < shuffles; i++) {
            shuffled = shuffledAgain(shuffled);
        }
        return shuffled;
    }

    private static JavaRDD<Integer> shuffledAgain(JavaRDD<Integer> rows) {
        return rows.mapPartitions(partition -> {
                    List<Integer> anyOrder = new ArrayList<>();
                    partition.forEachRemaining(anyOrder::add);
                    Collections.shuffle(anyOrder, new Random(System.nanoTime()));
                    return anyOrder.iterator();
                })
                .repartition(PARTITIONS);
    }

    /** The shuffles of a lineage, the last one first. */
    static List<Integer> shuffles(RDD<?> rdd) {
        List<Integer> ids = new ArrayList<>();
        for (Dependency<?> dependency : CollectionConverters.asJava(rdd.dependencies())) {
            if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle) {
                ids.add(shuffle.shuffleId());
            }
            ids.addAll(shuffles(dependency.rdd()));
        }
        return ids;
    }

    private static JavaRDD<Integer> shuffled(int shuffles) {
        return shuffled(SESSION.spark().sparkContext(), 100, shuffles);
    }

    private static List<Integer> available(List<Integer> shuffles) {
        MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        return shuffles.stream().map(tracker::getNumAvailableOutputs).toList();
    }

    @Test
    void mapOutputsThatMayComeOutOtherwiseAreForgotten() {
        JavaRDD<Integer> rows = shuffled(3);
        List<Integer> shuffles = shuffles(rows.rdd());
        UnstableShuffles.forget(rows.rdd());
        assertThat(available(shuffles)).as("before they are computed").containsExactly(0, 0, 0);
        assertThat(rows.count()).isEqualTo(100);
        assertThat(available(shuffles)).containsExactly(4, 4, 4);

        UnstableShuffles.forget(rows.rdd());

        assertThat(available(shuffles)).as("the first one is always the same").containsExactly(0, 0, 4);
        assertThat(rows.collect()).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void thoseOfRowsThatAreKeptStay() {
        JavaRDD<Integer> rows = shuffled(3);
        List<Integer> shuffles = shuffles(rows.rdd());
        JavaRDD<Integer> kept = ErasureCoded.persist(rows, "xor-2");

        UnstableShuffles.forget(shuffledAgain(kept).rdd());

        assertThat(available(shuffles)).containsExactly(4, 4, 4);
        kept.unpersist(true);
        UnstableShuffles.forget(shuffledAgain(kept).rdd());
        assertThat(available(shuffles)).as("dropped").containsExactly(0, 0, 4);
    }

    @Test
    void thoseOfRowsThatAreCheckpointedStay() {
        SESSION.spark().sparkContext().setCheckpointDir(directory.toString());
        JavaRDD<Integer> rows = shuffled(3);
        List<Integer> shuffles = shuffles(rows.rdd());
        JavaRDD<Integer> more = shuffledAgain(rows);
        assertThat(UnstableShuffles.isIndeterminate(more.rdd()))
                .as("what Spark said first")
                .isTrue();
        Object lineage = rows.rdd().dependencies(); // or Spark would clean up, some time after the checkpoint
        rows.checkpoint();
        rows.count();
        List<Integer> before = available(shuffles);
        assertThat(more.count()).isEqualTo(100);
        List<Integer> last = shuffles(more.rdd());

        UnstableShuffles.forget(more.rdd());

        assertThat(available(last)).containsExactly(0);
        assertThat(available(shuffles)).isEqualTo(before).contains(4);
        Reference.reachabilityFence(lineage);
    }

    @Test
    void thoseOfRowsThatAreCachedStayUnlessSomeAreLost() {
        JavaRDD<Integer> rows = shuffled(3).cache();
        List<Integer> shuffles = shuffles(rows.rdd());
        rows.count();

        UnstableShuffles.forget(shuffledAgain(rows).rdd());
        assertThat(available(shuffles)).containsExactly(4, 4, 4);

        new UnitStore().remove(new RDDBlockId(rows.id(), 1));
        UnstableShuffles.forget(shuffledAgain(rows).rdd());
        assertThat(available(shuffles)).containsExactly(0, 0, 4);
        rows.unpersist(true);
    }

    /** Those that are left would be of another time. */
    @Test
    void rowsOfACacheOfWhichSomeAreLostAreAllComputedAgain() {
        JavaRDD<Integer> rows = shuffled(3).cache();
        rows.count();
        new UnitStore().remove(new RDDBlockId(rows.id(), 1));

        UnstableShuffles.forget(rows.map(row -> row).rdd());

        assertThat(new UnitStore().count(rows.id())).isZero();
        assertThat(rows.collect()).hasSize(100).doesNotHaveDuplicates();
        rows.unpersist(true);
    }

    @Test
    void otherRowsOfACacheOfWhichSomeAreLostAreAllComputedAgain() {
        JavaRDD<Integer> rows = shuffled(SESSION.spark().sparkContext(), 1_000, 3);
        JavaRDD<Integer> others = rows.map(row -> row).cache();
        assertThat(others.count()).isEqualTo(1_000);
        SparkEnv.get().blockManager().removeBlock(new RDDBlockId(others.id(), 0), true);

        UnstableShuffles.forget(rows.map(row -> row).rdd());

        assertThat(others.collect()).hasSize(1_000).doesNotHaveDuplicates();
    }

    /** Nobody could compute them. */
    @Test
    void rowsThatAreCheckpointedOnExecutorsStay() {
        JavaRDD<Integer> rows = shuffled(3);
        assertThat(UnstableShuffles.isIndeterminate(rows.rdd()))
                .as("what Spark said first")
                .isTrue();
        rows.rdd().localCheckpoint();
        rows.count();
        new UnitStore().remove(new RDDBlockId(rows.id(), 1));

        UnstableShuffles.forget(shuffledAgain(rows).rdd());

        assertThat(new UnitStore().count(rows.id())).isEqualTo(PARTITIONS - 1);
        rows.unpersist(true);
    }

    /** Begins a job, and waits until it has read all rows. Its first task ends when it is told to. */
    private static JavaFutureAction<Void> begin(JavaRDD<Integer> rows) throws InterruptedException {
        JavaFutureAction<Void> job = rows.foreachPartitionAsync(partition -> {
            partition.forEachRemaining(row -> {});
            began.countDown();
            if (TaskContext.getPartitionId() == 0) {
                end.await(1, TimeUnit.MINUTES);
            }
        });
        assertThat(began.await(1, TimeUnit.MINUTES)).isTrue();
        return job;
    }

    private static void assertCancelled(JavaFutureAction<Void> job) {
        assertThatThrownBy(() -> job.get(1, TimeUnit.MINUTES))
                .isInstanceOf(ExecutionException.class)
                .hasStackTraceContaining(
                        "shuffles that it uses are computed again as a whole, because a part of them was lost that may come out"
                                + " otherwise: run the job again");
    }

    /** Tasks of such a job have read map outputs that are forgotten now, and others would read new ones. */
    @Test
    void jobsThatReadThemAreCancelled() throws Exception {
        JavaRDD<Integer> rows = shuffled(3);
        JavaFutureAction<Void> job = begin(rows);
        try {
            UnstableShuffles.forget(rows.rdd());
            assertCancelled(job);
        } finally {
            end.countDown();
        }
        assertThat(rows.collect()).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void jobsThatReadACacheOfWhichSomeAreLostAreCancelled() throws Exception {
        JavaRDD<Integer> rows = shuffled(3);
        JavaRDD<Integer> cached = rows.map(row -> row).cache();
        JavaFutureAction<Void> job = begin(cached);
        try {
            new UnitStore().remove(new RDDBlockId(cached.id(), 1));
            UnstableShuffles.forget(rows.map(row -> row).rdd());
            assertCancelled(job);
        } finally {
            end.countDown();
        }
        cached.unpersist(true);
    }

    /** Spark has stages for the shuffles behind them, too, but runs none. */
    @ParameterizedTest
    @ValueSource(strings = {"stored", "cached"})
    void jobsThatReadOnlyRowsThatAreKeptGoOn(String how) throws Exception {
        JavaRDD<Integer> rows = shuffled(3);
        JavaRDD<Integer> kept = how.equals("stored")
                ? ErasureCoded.persist(rows, "xor-2")
                : rows.map(row -> row).cache();
        kept.count();
        JavaFutureAction<Void> job = begin(kept);
        try {
            UnstableShuffles.forget(rows.map(row -> row).rdd());
            assertThat(rows.count()).as("the scheduler has seen all").isEqualTo(100);
        } finally {
            end.countDown();
        }
        job.get(1, TimeUnit.MINUTES);
        kept.unpersist(true);
    }
}
