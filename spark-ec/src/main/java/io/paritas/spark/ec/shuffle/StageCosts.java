/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/**
 * How dear shuffles are: the time for which their map tasks have run, and that of the uncoded shuffles that they read, whose outputs a
 * lost executor takes along, too. For the thread of one of Spark's queues of listeners.
 */
final class StageCosts extends SparkListener {
    private final BiConsumer<Integer, Duration> computed;
    private final IntPredicate uncoded;
    private final Map<Integer, Duration> costs = new HashMap<>();

    /** The shuffles of the map stages of jobs that run, by the numbers of the job and the stage. Queries read a shuffle in another job. */
    private final Map<Integer, Map<Integer, Integer>> jobs = new HashMap<>();

    /**
     * @param computed takes the number of a shuffle whose map stage has ended, and its cost
     * @param uncoded whether a shuffle is there and is not coded
     */
    StageCosts(BiConsumer<Integer, Duration> computed, IntPredicate uncoded) {
        this.computed = computed;
        this.uncoded = uncoded;
    }

    private static Optional<Integer> shuffle(StageInfo stage) {
        return OptionConverters.toJava(stage.shuffleDepId()).map(id -> (Integer) id);
    }

    @Override
    public void onJobStart(SparkListenerJobStart job) {
        Map<Integer, Integer> shuffles = new HashMap<>();
        for (StageInfo stage : CollectionConverters.asJava(job.stageInfos())) {
            shuffle(stage).ifPresent(shuffle -> shuffles.put(stage.stageId(), shuffle));
        }
        jobs.put(job.jobId(), shuffles);
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd job) {
        jobs.remove(job.jobId());
        costs.keySet().removeIf(shuffle -> !uncoded.test(shuffle));
    }

    @Override
    public void onStageCompleted(SparkListenerStageCompleted completed) {
        StageInfo stage = completed.stageInfo();
        if (stage.taskMetrics() != null) {
            shuffle(stage).ifPresent(shuffle -> {
                Duration before = Optional.ofNullable(costs.get(shuffle)).orElseGet(() -> read(stage));
                Duration all = before.plusMillis(stage.taskMetrics().executorRunTime());
                costs.put(shuffle, all);
                computed.accept(shuffle, all);
            });
        }
    }

    /** The cost of the uncoded shuffles that a stage has read. */
    private Duration read(StageInfo stage) {
        return CollectionConverters.asJava(stage.parentIds()).stream()
                .flatMap(parent -> jobs.values().stream().map(shuffles -> shuffles.get((Integer) parent)))
                .filter(Objects::nonNull)
                .distinct()
                .filter(uncoded::test)
                .map(shuffle -> costs.getOrDefault(shuffle, Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }
}
