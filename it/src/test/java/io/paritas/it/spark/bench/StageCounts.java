/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What the stages of an application have done since some moment. */
final class StageCounts extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final Map<String, Integer> mapped = new HashMap<>();
    private long written;
    private int retried;

    StageCounts(SparkContext context) {
        this.context = context;
        context.addSparkListener(this);
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
        retried += stage.stageInfo().attemptNumber() > 0 ? 1 : 0;
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted stage) {
        written += stage.stageInfo().taskMetrics().shuffleWriteMetrics().bytesWritten();
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (task.taskInfo().successful() && task.taskType().equals("ShuffleMapTask")) {
            mapped.merge(task.taskInfo().executorId(), 1, Integer::sum);
        }
    }

    /** How many map tasks each executor has run, by its id. */
    Map<String, Integer> mapped() throws TimeoutException {
        context.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return Map.copyOf(mapped);
        }
    }

    /** Bytes of map outputs, those that were written again included. */
    long writtenBytes() throws TimeoutException {
        context.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return written;
        }
    }

    synchronized int retried() {
        return retried;
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
