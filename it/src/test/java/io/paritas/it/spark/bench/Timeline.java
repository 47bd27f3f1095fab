/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.TaskInfo;

/** Hears when tasks run. */
final class Timeline extends SparkListener {
    private final List<SparkListenerTaskEnd> ended = new ArrayList<>();

    /** What a task was for. */
    enum What {
        GROUPS("forms coding groups"),
        SEGMENT("predicts a segment, then its parity"),
        RETRY("decodes the segment of the killed one"),
        KILLED("late, killed");

        final String text;

        What(String text) {
            this.text = text;
        }
    }

    /** A task in a slot; times in seconds since the first. */
    record Task(long id, int slot, double start, double end, What what) {}

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        ended.add(end);
    }

    synchronized void clear() {
        ended.clear();
    }

    /** What ran, each task in the first slot of its executor that was free. */
    synchronized List<Task> tasks() {
        List<SparkListenerTaskEnd> sorted = new ArrayList<>(ended);
        sorted.sort(
                (a, b) -> Long.compare(a.taskInfo().launchTime(), b.taskInfo().launchTime()));
        long first = sorted.get(0).taskInfo().launchTime();
        int lastStage =
                sorted.stream().mapToInt(SparkListenerTaskEnd::stageId).max().orElse(0);
        Map<Integer, Long> busyUntil = new HashMap<>();
        List<Task> tasks = new ArrayList<>();
        for (SparkListenerTaskEnd end : sorted) {
            TaskInfo info = end.taskInfo();
            int slot = 1 + 3 * Integer.parseInt(info.executorId());
            while (busyUntil.getOrDefault(slot, 0L) > info.launchTime()) {
                slot++;
            }
            busyUntil.put(slot, info.finishTime());
            tasks.add(new Task(
                    info.taskId(),
                    slot,
                    (info.launchTime() - first) / 1e3,
                    (info.finishTime() - first) / 1e3,
                    what(end, lastStage)));
        }
        return tasks;
    }

    private static What what(SparkListenerTaskEnd end, int lastStage) {
        if (end.stageId() != lastStage) {
            return What.GROUPS;
        }
        if (end.taskInfo().killed()) {
            return What.KILLED;
        }
        return end.taskInfo().attemptNumber() > 0 ? What.RETRY : What.SEGMENT;
    }

    static int slots(List<Task> tasks) {
        return tasks.stream().mapToInt(Task::slot).max().orElse(0);
    }
}
