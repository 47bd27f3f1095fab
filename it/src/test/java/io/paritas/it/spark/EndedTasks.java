/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** The tasks that have ended well, from some moment on. */
final class EndedTasks extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final List<Task> ended = new ArrayList<>();

    private record Task(int stage, int partition, String executor) {}

    EndedTasks(SparkContext context) throws TimeoutException {
        this.context = context;
        context.listenerBus().waitUntilEmpty();
        context.addSparkListener(this);
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (task.taskInfo().successful()) {
            ended.add(new Task(
                    task.stageId(),
                    task.taskInfo().partitionId(),
                    task.taskInfo().executorId()));
        }
    }

    private List<Task> all() throws TimeoutException {
        context.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return List.copyOf(ended);
        }
    }

    int endedOn(String executor) throws TimeoutException {
        return (int)
                all().stream().filter(task -> task.executor().equals(executor)).count();
    }

    /** How many of them ran for a partition for which one had ended already. */
    int repeated() throws TimeoutException {
        Set<String> partitions = new HashSet<>();
        return (int) all().stream()
                .filter(task -> !partitions.add(task.stage() + "." + task.partition()))
                .count();
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
