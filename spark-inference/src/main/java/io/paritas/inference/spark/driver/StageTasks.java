/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Counts the tasks of running stages that wait for a slot, and those that have not sent a word. It hears of them a moment later than they begin
 * and end, and may miss one: only when parity is computed depends on it, never an answer, and only until the stage is over. Thread-safe.
 */
final class StageTasks extends SparkListener {
    /** As Spark names the RDD of segments, by its class. */
    private static final String SEGMENTS = "SegmentRDD";

    private final Map<Integer, Stage> stages = new HashMap<>();
    private int waiting;

    private static final class Stage {
        /* The scheduler's own, which it keeps up to date. */
        private final StageInfo info;
        private final int attempt;
        private final int tasks;
        private final boolean merged;
        private final BitSet begun = new BitSet();
        private final BitSet succeeded = new BitSet();
        /* Attempts that run. */
        private final Set<Long> spoken = new HashSet<>();

        Stage(StageInfo info) {
            this.info = info;
            this.attempt = info.attemptNumber();
            this.tasks = info.numTasks();
            this.merged = merges(CollectionConverters.asJava(info.rddInfos()));
        }

        /** Whether an RDD has fewer partitions than one it is made of, such as a coalesced one; segments read several on purpose. */
        private static boolean merges(List<RDDInfo> rdds) {
            Map<Integer, Integer> partitions = new HashMap<>();
            rdds.forEach(rdd -> partitions.put(rdd.id(), rdd.numPartitions()));
            return rdds.stream()
                    .filter(rdd -> !rdd.name().equals(SEGMENTS))
                    .anyMatch(rdd -> CollectionConverters.asJava(rdd.parentIds()).stream()
                            .anyMatch(parent -> partitions.getOrDefault((Integer) parent, 0) > rdd.numPartitions()));
        }

        /** Whether the scheduler is done with it, whatever was heard. */
        boolean isOver() {
            return info.completionTime().isDefined();
        }

        int waiting() {
            return tasks - begun.cardinality();
        }

        int silent() {
            return Math.max(0, tasks - succeeded.cardinality() - spoken.size());
        }
    }

    /** An attempt at a task of a stage has sent a word. */
    synchronized void spoke(int stage, long attempt) {
        Stage known = stages.get(stage);
        if (known != null) {
            known.spoken.add(attempt);
        }
    }

    /** What is known for a task of a stage that asks. */
    synchronized Others others(int stage) {
        if (waiting > 0) {
            forgetOver();
        }
        Stage known = stages.get(stage);
        return new Others(waiting > 0, known == null ? 0 : known.silent(), known != null && known.merged);
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
        forgetOver();
        forget(event.stageInfo().stageId());
        Stage stage = new Stage(event.stageInfo());
        stages.put(event.stageInfo().stageId(), stage);
        waiting += stage.tasks;
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
        forget(event.stageInfo().stageId());
    }

    /* The event of a stage's end may have been dropped. */
    private void forgetOver() {
        List<Integer> over = new ArrayList<>();
        stages.forEach((id, stage) -> {
            if (stage.isOver()) {
                over.add(id);
            }
        });
        over.forEach(this::forget);
    }

    private void forget(int id) {
        Stage stage = stages.remove(id);
        waiting -= stage == null ? 0 : stage.waiting();
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart event) {
        Stage stage = stages.get(event.stageId());
        if (stage != null && stage.attempt == event.stageAttemptId()) {
            begin(stage, event.taskInfo().index());
        }
    }

    private void begin(Stage stage, int task) {
        waiting -= stage.begun.get(task) ? 0 : 1;
        stage.begun.set(task);
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
        Stage stage = stages.get(event.stageId());
        if (stage == null || stage.attempt != event.stageAttemptId()) {
            return;
        }
        stage.spoken.remove(event.taskInfo().taskId());
        int task = event.taskInfo().index();
        if (event.taskInfo().successful()) {
            begin(stage, task);
            stage.succeeded.set(task);
        } else if (!stage.succeeded.get(task) && stage.begun.get(task)) {
            stage.begun.clear(task);
            waiting++;
        }
    }
}
