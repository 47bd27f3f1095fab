/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import java.util.List;
import java.util.Locale;

/**
 * How far a training is.
 *
 * @param seconds since it began
 * @param samples that are committed
 * @param loss the mean of those of the last interval in which there were some; NaN before
 * @param samplesPerSecond of the last interval
 * @param executors that servers are in, in the order of the servers, without those that are gone
 * @param isHealthy whether all servers are there and recovered
 * @param recovered of a server that was lost, the share of its rows and parities that its replacement has, from 0 to 1; 1 if none is
 *     being recovered
 */
public record TrainingProgress(
        double seconds,
        long samples,
        double loss,
        double samplesPerSecond,
        List<String> executors,
        boolean isHealthy,
        double recovered) {

    /** A line for a terminal. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%.0f s: %d samples, loss %.4f, %.0f samples/s%s",
                seconds,
                samples,
                loss,
                samplesPerSecond,
                isHealthy
                        ? ""
                        : String.format(Locale.ROOT, ", a server is being recovered: %d %%", (int) (100 * recovered)));
    }
}
