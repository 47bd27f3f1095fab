/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Counts the tasks of running stages that wait for a slot, and those that are out. It hears of them a moment later than they begin
 * and end, and may miss one: only when parity is computed depends on it, never an answer. Thread-safe.
 */
final class StageTasks extends SparkListener {
    private final Map<Integer, Stage> stages = new HashMap<>();
    private int waiting;

    private static final class Stage {
        private final int attempt;
        private final int tasks;
        private final BitSet begun = new BitSet();
        private final BitSet succeeded = new BitSet();

        Stage(int attempt, int tasks) {
            this.attempt = attempt;
            this.tasks = tasks;
        }

        int waiting() {
            return tasks - begun.cardinality();
        }
    }

    /** What is known for a task of a stage that asks. */
    synchronized Others others(int stage) {
        Stage known = stages.get(stage);
        return new Others(waiting > 0, known == null ? 0 : known.tasks - known.succeeded.cardinality());
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
        forget(event.stageInfo().stageId());
        Stage stage =
                new Stage(event.stageInfo().attemptNumber(), event.stageInfo().numTasks());
        stages.put(event.stageInfo().stageId(), stage);
        waiting += stage.tasks;
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
        forget(event.stageInfo().stageId());
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
