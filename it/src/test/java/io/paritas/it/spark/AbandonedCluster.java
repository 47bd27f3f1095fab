/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts a cluster with a program that runs, says where, and waits to be killed. */
final class AbandonedCluster {
    private AbandonedCluster() {}

    public static void main(String[] arguments) throws Exception {
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(1, 1, 512))) {
            cluster.submit(SharedSpark.tests(), SleepingProgram.class.getName(), List.of(), Map.of());
            Await.until("an executor runs", () -> !cluster.executors().isEmpty(), cluster::executors);
            System.out.println(cluster.folder());
            TimeUnit.MINUTES.sleep(10);
        }
    }
}
