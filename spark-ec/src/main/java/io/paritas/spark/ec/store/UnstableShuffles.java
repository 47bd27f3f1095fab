/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
import org.apache.spark.scheduler.ActiveJob;
import org.apache.spark.scheduler.ShuffleMapStage;
import org.apache.spark.scheduler.Stage;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
     * checkpointed, or cached as a whole. Where a part of a cache is lost, here or of other rows behind these shuffles, the rest is
     * dropped, because it is of before. Other jobs that read these shuffles are cancelled: some of their tasks may have read outputs of
     * before, and others would read new ones.
     */
    static void forget(RDD<?> source) {
        List<RDD<?>> computed = computed(source);
        Set<ShuffleDependency<?, ?, ?>> shuffles = new LinkedHashSet<>(shuffles(computed));
        shuffles.forEach(UnstableShuffles::forgetOutputs);
        cancelJobs(source.context(), shuffles);
        computed.forEach(UnstableShuffles::dropCached);
        for (RDD<?> other : CollectionConverters.asJava(source.context().getPersistentRDDs())
                .values()) {
            if (isBehind(other, shuffles)) {
                dropCached(other);
            }
        }
    }

    /** The RDDs of a lineage that may come out otherwise, and of which the next job computes something. */
    private static List<RDD<?>> computed(RDD<?> source) {
        Deque<RDD<?>> open = new ArrayDeque<>(List.of(source));
        Set<Integer> seen = new HashSet<>();
        List<RDD<?>> computed = new ArrayList<>();
        while (!open.isEmpty()) {
            RDD<?> rdd = open.pop();
            if (seen.add(rdd.id()) && isIndeterminate(rdd) && !isKept(rdd)) {
                computed.add(rdd);
                CollectionConverters.asJava(rdd.dependencies()).forEach(dependency -> open.push(dependency.rdd()));
            }
        }
        return computed;
    }

    /** The shuffles that RDDs read, and whose map outputs may come out otherwise. */
    private static List<ShuffleDependency<?, ?, ?>> shuffles(List<RDD<?>> rdds) {
        List<ShuffleDependency<?, ?, ?>> shuffles = new ArrayList<>();
        for (RDD<?> rdd : rdds) {
            for (Dependency<?> dependency : CollectionConverters.asJava(rdd.dependencies())) {
                if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle && isIndeterminate(shuffle.rdd())) {
                    shuffles.add(shuffle);
                }
            }
        }
        return shuffles;
    }

    private static void forgetOutputs(ShuffleDependency<?, ?, ?> shuffle) {
        MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        int id = shuffle.shuffleId();
        if (tracker.containsShuffle(id)) {
            tracker.unregisterAllMapAndMergeOutput(id);
            shuffle.newShuffleMergeState();
        }
    }

    /** Cancels jobs that read, or write, some of the shuffles. The scheduler does so before it takes the next job. */
    private static void cancelJobs(SparkContext context, Set<ShuffleDependency<?, ?, ?>> shuffles) {
        List<ActiveJob> jobs =
                List.copyOf(CollectionConverters.asJava(context.dagScheduler().activeJobs()));
        for (ActiveJob job : jobs) {
            Stage last = job.finalStage();
            boolean writes = last instanceof ShuffleMapStage stage && shuffles.contains(stage.shuffleDep());
            if (writes || isBehind(last.rdd(), shuffles)) {
                context.cancelJob(
                        job.jobId(),
                        "shuffles that it uses are computed again as a whole, because a part of them was lost that may come"
                                + " out otherwise: run the job again");
            }
        }
    }

    /** Whether the next job that computes an RDD reads some of the shuffles: those behind kept rows it does not. */
    private static boolean isBehind(RDD<?> rdd, Set<ShuffleDependency<?, ?, ?>> shuffles) {
        return !Collections.disjoint(shuffles, shuffles(computed(rdd)));
    }

    /** Whether the next job reads all rows of an RDD from where they are kept. */
    private static boolean isKept(RDD<?> rdd) {
        return rdd instanceof ErasureCodedRDD<?> kept
                ? kept.isPublished()
                : rdd.isCheckpointed() || cached(rdd) == rdd.getNumPartitions();
    }

    /** How many partitions of an RDD are in Spark's cache. */
    private static long cached(RDD<?> rdd) {
        if (rdd instanceof ErasureCodedRDD<?>
                || rdd instanceof HiddenLineage<?>
                || rdd.getStorageLevel().equals(StorageLevel.NONE())) {
            return 0;
        }
        BlockId[] blocks = IntStream.range(0, rdd.getNumPartitions())
                .mapToObj(partition -> new RDDBlockId(rdd.id(), partition))
                .toArray(BlockId[]::new);
        return new UnitStore()
                .locations(blocks).stream().filter(who -> !who.isEmpty()).count();
    }

    private static void dropCached(RDD<?> rdd) {
        long cached = cached(rdd);
        if (cached > 0) {
            LOG.warn(
                    "{} of {} partitions of {} are not in Spark's cache any more, and its lineage does not always give the same"
                            + " rows: all are computed again",
                    rdd.getNumPartitions() - cached,
                    rdd.getNumPartitions(),
                    rdd);
            new UnitStore().removeAll(rdd.id());
        }
    }
}
