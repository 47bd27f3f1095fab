/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ShuffleMapStage;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The shuffles of a lineage whose map outputs may have other rows when they are computed again. A new job of Spark computes only those
 * that are lost: with the others from before, rows are there twice or not at all. On the driver.
 */
final class UnstableShuffles {
    private static final Logger LOG = LoggerFactory.getLogger(UnstableShuffles.class);

    private UnstableShuffles() {}

    /** Whether Spark says that rows may come out otherwise, or in other partitions, when some are computed again. */
    static boolean isIndeterminate(RDD<?> rdd) {
        return rdd.outputDeterministicLevel().equals(DeterministicLevel.INDETERMINATE());
    }

    /**
     * Forgets their map outputs, so that the next job computes all of them. Goes no further than rows that are kept erasure-coded,
     * checkpointed, or cached as a whole. Other jobs that use these shuffles are cancelled: some of their tasks may have read outputs of
     * before, and others would read new ones.
     */
    static void forget(RDD<?> source) {
        Deque<RDD<?>> open = new ArrayDeque<>(List.of(source));
        Set<Integer> seen = new HashSet<>();
        while (!open.isEmpty()) {
            RDD<?> rdd = open.pop();
            if (seen.add(rdd.id()) && isIndeterminate(rdd) && !isKept(rdd)) {
                for (Dependency<?> dependency : CollectionConverters.asJava(rdd.dependencies())) {
                    if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle && isIndeterminate(shuffle.rdd())) {
                        forget(source.context(), shuffle);
                    }
                    open.push(dependency.rdd());
                }
            }
        }
    }

    private static void forget(SparkContext context, ShuffleDependency<?, ?, ?> shuffle) {
        MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        int id = shuffle.shuffleId();
        if (tracker.containsShuffle(id)) {
            tracker.unregisterAllMapAndMergeOutput(id);
            shuffle.newShuffleMergeState();
        }
        // The scheduler cancels these jobs before it takes the next one.
        Option<ShuffleMapStage> used =
                context.dagScheduler().shuffleIdToMapStage().get(id);
        if (used.isDefined()) {
            context.cancelStage(
                    used.get().id(),
                    "shuffle " + id + " is computed again as a whole, because a part of it was lost that may come out"
                            + " otherwise: run the job again");
        }
    }

    /** Whether the next job reads all rows of an RDD from where they are kept. */
    private static boolean isKept(RDD<?> rdd) {
        if (rdd instanceof ErasureCodedRDD<?> kept) {
            return kept.isPublished();
        }
        if (rdd instanceof HiddenLineage<?> || rdd.getStorageLevel().equals(StorageLevel.NONE())) {
            return false;
        }
        BlockId[] blocks = IntStream.range(0, rdd.getNumPartitions())
                .mapToObj(partition -> new RDDBlockId(rdd.id(), partition))
                .toArray(BlockId[]::new);
        List<List<BlockManagerId>> cached = new UnitStore().locations(blocks);
        long lost = cached.stream().filter(List::isEmpty).count();
        if (lost > 0 && lost < blocks.length) {
            LOG.warn(
                    "{} of {} partitions of {} are not in Spark's cache any more: they are computed again, and some rows may"
                            + " now be there twice or not at all, as its lineage does not always give the same ones; unpersist"
                            + " it, and persist the rows again",
                    lost,
                    blocks.length,
                    rdd);
        }
        return lost == 0;
    }
}
