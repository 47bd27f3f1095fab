/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import java.util.List;
import java.util.Locale;

/**
 * Figures of a whole training.
 *
 * @param seconds time from the first batch to the last
 * @param samples committed samples
 * @param batches committed batches
 * @param batch times of a batch
 * @param servers load of the servers
 */
@PublicApi
public record TrainingMetrics(double seconds, long samples, long batches, BatchFigures batch, ServerFigures servers) {

    /**
     * Figures of a batch, measured by the workers: times include the waiting.
     *
     * @param pullMillis mean time to read its parameters
     * @param computeMillis mean time to compute its gradients
     * @param commitMedianMillis median time until all servers have committed it
     * @param commit99Millis 99th percentile of that time
     * @param triesPerCommit mean attempts, without those that only waited for a checkpoint or for recovery; 1 if no two iterations
     *     updated a row at once, and no server failed
     */
    @PublicApi
    public record BatchFigures(
            double pullMillis,
            double computeMillis,
            double commitMedianMillis,
            double commit99Millis,
            double triesPerCommit) {}

    /**
     * Figures of the servers.
     *
     * @param parityBytes bytes that owners sent to the servers of parities: differences of rows and states, without headers
     * @param updated updates of rows and parities, by server
     * @param replaced servers that were lost and replaced
     */
    @PublicApi
    public record ServerFigures(long parityBytes, List<Long> updated, int replaced) {
        /** Copies the list. */
        public ServerFigures {
            updated = List.copyOf(updated);
        }

        /** Updates of the busiest server divided by those of the idlest: 1 if all have the same load. */
        public double imbalance() {
            return updated.stream().mapToLong(Long::longValue).max().orElse(0)
                    / (double) updated.stream().mapToLong(Long::longValue).min().orElse(0);
        }
    }

    /** Committed samples per second. */
    public double samplesPerSecond() {
        return samples / seconds;
    }

    /** Some lines for people. */
    @Override
    public String toString() {
        if (batches == 0) {
            return "no batch was left to train";
        }
        return String.format(
                Locale.ROOT,
                "%d samples in %d batches in %.1f s: %.0f samples/s%n"
                        + "a batch: pull %.1f ms, gradients %.1f ms, commit %.1f ms (median; 99 %%: %.1f ms), %.3f tries%n"
                        + "parity: %.1f MB of differences; updates of the servers %s, max/min %.2f; replaced %d",
                samples,
                batches,
                seconds,
                samplesPerSecond(),
                batch.pullMillis(),
                batch.computeMillis(),
                batch.commitMedianMillis(),
                batch.commit99Millis(),
                batch.triesPerCommit(),
                servers.parityBytes() / 1e6,
                servers.updated(),
                servers.imbalance(),
                servers.replaced());
    }
}
