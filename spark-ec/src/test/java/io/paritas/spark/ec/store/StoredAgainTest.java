/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.PluginSession;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.Enumeration;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** A partition is lost before its parity is made. */
class StoredAgainTest {
    private static final int PARTITIONS = 8;
    private static final int LOST = 5;

    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static volatile boolean lost;

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        PluginSession.awaitNoBlocks();
    }

    /** Rows that come out otherwise each time: those of two times would have some twice, and others not at all. */
    @Test
    void allRowsAreOfOneTime() {
        List<Integer> rows = keep(DeterministicLevel.INDETERMINATE());

        assertThat(rows).hasSize(PARTITIONS);
        assertThat(rows).as("the stages that made them").containsOnly(rows.get(0));
    }

    /** The executor had map outputs of all shuffles, too. Those that are left have read the ones that it had. */
    @Test
    void allRowsAreOfOneTimeBelowOtherShuffles() {
        JavaRDD<Integer> rows = UnstableShufflesTest.shuffled(SESSION.spark().sparkContext(), 1_000, 3);
        List<Integer> shuffles = UnstableShufflesTest.shuffles(rows.rdd());

        assertThat(keepAndLose(rows, () -> {
                    MapOutputTrackerMaster tracker =
                            (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
                    BlockManagerId here = SparkEnv.get().blockManager().blockManagerId();
                    shuffles.forEach(shuffle -> tracker.unregisterMapOutput(shuffle, 0, here));
                }))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 1_000).boxed().toList());
    }

    /** The executor had some of the cache, too, and the map outputs are all there. */
    @Test
    void allRowsAreOfOneTimeAboveACache() {
        JavaRDD<Integer> rows = UnstableShufflesTest.shuffled(SESSION.spark().sparkContext(), 1_000, 3)
                .cache();
        rows.count();
        RDDBlockId cached = new RDDBlockId(rows.id(), 1);

        assertThat(keepAndLose(rows, () -> SparkEnv.get().blockManager().removeBlock(cached, true)))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 1_000).boxed().toList());
        rows.unpersist(true);
    }

    /** What an executor loses besides units. */
    @FunctionalInterface
    private interface Loss extends Runnable, Serializable {}

    /** Returns the rows as they are stored. A unit is lost meanwhile. */
    private static List<Integer> keepAndLose(JavaRDD<Integer> rows, Loss more) {
        lost = false;
        SparkContext context = SESSION.spark().sparkContext();
        int source = rows.id();
        JavaRDD<Integer> losing = rows.mapPartitionsWithIndex(
                (index, partition) -> {
                    List<Integer> all = new ArrayList<>();
                    partition.forEachRemaining(all::add);
                    if (index == 0 && !lost) {
                        unit(2, source);
                        unit(3, source);
                        SparkEnv.get().blockManager().removeBlock(unit(1, source), true);
                        more.run();
                        lost = true;
                    }
                    return all.iterator();
                },
                false);
        ErasureCodedStore<Integer> store =
                ErasureCodedStore.of(losing.rdd(), CodeName.parse("rs-4-2"), StoreSettings.of(context.conf()));
        try {
            assertThat(lost).isTrue();
            return store.rdd().toJavaRDD().collect();
        } finally {
            store.close();
        }
    }

    @Test
    void rowsThatAreAlwaysTheSameAreStoredOnce() {
        List<Integer> rows = keep(DeterministicLevel.DETERMINATE());

        List<Integer> others = new ArrayList<>(rows);
        int again = others.remove(LOST);
        assertThat(others).hasSize(PARTITIONS - 1).containsOnly(others.get(0)).doesNotContain(again);
    }

    /** Returns the rows as they are stored: for each partition, the stage that has computed it. */
    private static List<Integer> keep(Enumeration.Value level) {
        lost = false;
        SparkContext context = SESSION.spark().sparkContext();
        ErasureCodedStore<Integer> store = ErasureCodedStore.of(
                new Stages(context, level), CodeName.parse("rs-4-2"), StoreSettings.of(context.conf()));
        try {
            assertThat(lost).isTrue();
            assertThat(store.health().missingUnits()).isZero();
            assertThat(blocks(store.rdd().id())).as("data").isEqualTo(PARTITIONS);
            assertThat(blocks(store.rdd().id() + 1))
                    .as("parity of the stripes, and the sign that they are current")
                    .isEqualTo(2 * store.health().stripes() + 1);
            List<Integer> rows = store.rdd().toJavaRDD().collect();
            assertThat(store.rdd().metrics().damaged().value()).isZero();
            return rows;
        } finally {
            store.close();
        }
    }

    private static int blocks(int rdd) {
        return new UnitStore().count(rdd);
    }

    /** Waits until a partition is stored; another RDD may be cached. */
    private static BlockId unit(int partition, int cached) {
        List<BlockId> blocks = List.of();
        while (blocks.isEmpty()) {
            Thread.onSpinWait();
            blocks = CollectionConverters.asJava(SparkEnv.get()
                    .blockManager()
                    .getMatchingBlockIds(block -> block instanceof RDDBlockId unit
                            && unit.splitIndex() == partition
                            && unit.rddId() != cached));
        }
        return blocks.get(0);
    }

    /** Each partition is the number of the stage that computes it. One loses another's unit. */
    private static final class Stages extends RDD<Integer> {
        private static final long serialVersionUID = 1;

        private final transient Enumeration.Value level;

        Stages(SparkContext context, Enumeration.Value level) {
            super(
                    context,
                    CollectionConverters.asScala(List.<Dependency<?>>of()).toList(),
                    ClassTag$.MODULE$.apply(Integer.class));
            this.level = level;
        }

        @Override
        public Enumeration.Value getOutputDeterministicLevel() {
            return level;
        }

        @Override
        public Partition[] getPartitions() {
            return IntStream.range(0, PARTITIONS)
                    .mapToObj(NumberedPartition<Void>::new)
                    .toArray(Partition[]::new);
        }

        @Override
        public Iterator<Integer> compute(Partition partition, TaskContext task) {
            if (partition.index() == PARTITIONS - 1 && !lost) {
                SparkEnv.get().blockManager().removeBlock(StoredAgainTest.unit(LOST, id()), true);
                lost = true;
            }
            return CollectionConverters.asScala(List.of(task.stageId()).iterator());
        }
    }
}
