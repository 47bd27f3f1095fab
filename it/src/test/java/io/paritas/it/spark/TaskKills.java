/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.ExecutorProcess;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Kills a random executor whenever so many tasks of an application have ended. */
final class TaskKills extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final SparkClusters clusters;
    private final Random random;
    private final Deque<Integer> moments;
    private int ended;
    private int kills;

    /** @param moments numbers of tasks */
    TaskKills(SparkContext context, SparkClusters clusters, Random random, Collection<Integer> moments) {
        this.context = context;
        this.clusters = clusters;
        this.random = random;
        this.moments = new ArrayDeque<>(new TreeSet<>(moments));
        context.addSparkListener(this);
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        ended++;
        if (!moments.isEmpty() && ended >= moments.peek()) {
            moments.poll();
            List<ExecutorProcess> executors = clusters.executors();
            if (executors.size() > 2) {
                executors.get(random.nextInt(executors.size())).kill();
                kills++;
            }
        }
    }

    synchronized int ended() {
        return ended;
    }

    synchronized int kills() {
        return kills;
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
