/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.StandaloneCluster;
import java.util.concurrent.TimeUnit;

/** Starts a cluster, says where, and waits to be killed. */
final class AbandonedCluster {
    private AbandonedCluster() {}

    public static void main(String[] arguments) throws Exception {
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(1, 1, 512))) {
            System.out.println(cluster.folder());
            TimeUnit.MINUTES.sleep(10);
        }
    }
}
