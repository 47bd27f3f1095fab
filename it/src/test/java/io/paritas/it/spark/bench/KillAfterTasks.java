/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.ExecutorProcess;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Kills an executor when so many tasks have ended since some moment. */
final class KillAfterTasks extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final ExecutorProcess victim;
    private int left;

    KillAfterTasks(SparkContext context, ExecutorProcess victim, int tasks) {
        this.context = context;
        this.victim = victim;
        this.left = tasks;
        context.addSparkListener(this);
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (--left == 0) {
            victim.kill();
        }
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
