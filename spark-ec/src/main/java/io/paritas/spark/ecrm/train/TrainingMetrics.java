/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import java.util.List;
import java.util.Locale;

/**
 * Figures of a whole training. Those of time are of workers, so that they contain what a worker waits for.
 *
 * @param seconds from the first batch to the last
 * @param samples committed
 * @param batches committed
 * @param pullMillis the mean time until the parameters of a batch were there
 * @param computeMillis the mean time for gradients
 * @param commitMedianMillis the median time until an iteration was committed at all servers
 * @param commit99Millis 99 of 100 were faster
 * @param triesPerCommit 1 if no two iterations wanted a row at once
 * @param parityBytes what owners sent to the servers of parities: the differences of rows and states, without headers
 * @param updated by server: how often a row or a parity of it was updated
 * @param replaced servers that were lost and replaced
 */
public record TrainingMetrics(
        double seconds,
        long samples,
        long batches,
        double pullMillis,
        double computeMillis,
        double commitMedianMillis,
        double commit99Millis,
        double triesPerCommit,
        long parityBytes,
        List<Long> updated,
        int replaced) {

    public TrainingMetrics {
        updated = List.copyOf(updated);
    }

    /** Samples that were committed in a second. */
    public double samplesPerSecond() {
        return samples / seconds;
    }

    /** The updates of the busiest server for one of the idlest: 1 if all had the same load. */
    public double imbalance() {
        return updated.stream().mapToLong(Long::longValue).max().orElse(0)
                / (double) updated.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Some lines for people. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d samples in %d batches in %.1f s: %.0f samples/s%n"
                        + "a batch: pull %.1f ms, gradients %.1f ms, commit %.1f ms (median; 99 %%: %.1f ms), %.3f tries%n"
                        + "parity: %.1f MB of differences; updates of the servers %s, max/min %.2f; replaced %d",
                samples,
                batches,
                seconds,
                samplesPerSecond(),
                pullMillis,
                computeMillis,
                commitMedianMillis,
                commit99Millis,
                triesPerCommit,
                parityBytes / 1e6,
                updated,
                imbalance(),
                replaced);
    }
}
