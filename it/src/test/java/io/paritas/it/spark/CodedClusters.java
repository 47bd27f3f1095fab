/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.spark.ec.settings.EcSettings;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;

/** A cluster with as many executors as a stripe of {@code rs-3-2} has units, each with a core, and who takes them away. */
final class CodedClusters {
    static final int EXECUTORS = 5;
    static final int K = 3;
    static final int R = 2;
    static final String CODE = "rs-3-2";

    /**
     * Nobody waits for long. After a lost connection Spark waits before it fetches again: longer than the fetch time-out, so that
     * such a unit is late first.
     */
    static final Map<String, String> SETTINGS = Map.of(
            EcSettings.FETCH_TIMEOUT.key(),
            "1s",
            EcSettings.REPAIR_DELAY.key(),
            "200ms",
            EcSettings.REPAIR_INTERVAL.key(),
            "2s",
            "spark.shuffle.io.retryWait",
            "2s",
            "spark.locality.wait",
            "200ms");

    /** Nothing is made again but by who reads it; executors have little memory, and a copy runs of a task that takes seconds. */
    static final Map<String, String> UNREPAIRED = Map.of(
            EcSettings.FETCH_TIMEOUT.key(),
            "1s",
            EcSettings.REPAIR.key(),
            "false",
            "spark.memory.fraction",
            "0.2",
            "spark.speculation",
            "true",
            "spark.speculation.interval",
            "20ms",
            "spark.speculation.quantile",
            "0.5",
            "spark.speculation.minTaskRuntime",
            "5s");

    private CodedClusters() {}

    static SparkClusters shared() {
        return new SparkClusters(new StandaloneCluster.Size(EXECUTORS, 1, 512));
    }

    /** Kills the executors of some workers at once, by the workers' numbers. */
    static void kill(SparkClusters clusters, Collection<Integer> workers) {
        List<ExecutorProcess> executors = clusters.executors();
        kill(workers.stream().map(executors::get).toList());
    }

    /** Kills executors at once. */
    static void kill(List<ExecutorProcess> executors) {
        executors.forEach(executor -> executor.handle().destroyForcibly());
        executors.forEach(ExecutorProcess::kill);
    }

    /** Done when a job with such a description has been started. */
    static CompletableFuture<Void> started(SparkContext context, String description) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        context.addSparkListener(new SparkListener() {
            @Override
            public void onJobStart(SparkListenerJobStart job) {
                String text = job.properties().getProperty("spark.job.description");
                if (text != null && text.startsWith(description)) {
                    context.removeSparkListener(this);
                    started.complete(null);
                }
            }
        });
        return started;
    }
}
