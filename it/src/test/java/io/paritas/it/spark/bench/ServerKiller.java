/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.recommend.train.TrainingListener;
import io.paritas.inference.recommend.train.TrainingProgress;

/** Kills the executor of the first parameter server, once so many samples are committed. */
final class ServerKiller implements TrainingListener {
    private final StandaloneCluster cluster;
    private final long when;
    private double seconds = Double.NaN;
    private long samples;

    ServerKiller(StandaloneCluster cluster, long when) {
        this.cluster = cluster;
        this.when = when;
    }

    @Override
    public void progress(TrainingProgress progress) {
        if (Double.isNaN(seconds) && progress.samples() >= when) {
            seconds = progress.seconds();
            samples = progress.samples();
            cluster.executor(progress.servers().executors().get(0)).kill();
        }
    }

    /** When it was; NaN before. */
    double seconds() {
        return seconds;
    }

    /** How many were committed then. */
    long samples() {
        return samples;
    }
}
