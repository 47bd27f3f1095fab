/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import java.util.List;
import java.util.Locale;

/**
 * The progress of a training.
 *
 * @param seconds time since the training began
 * @param samples committed samples
 * @param loss mean loss of the last interval with samples; NaN before
 * @param samplesPerSecond rate of commits in the last interval
 * @param servers state of the servers
 */
@PublicApi
public record TrainingProgress(
        double seconds, long samples, double loss, double samplesPerSecond, ServerState servers) {

    /**
     * The state of the servers.
     *
     * @param executors executors of the servers, in the order of the servers, without lost ones
     * @param replaced servers that were lost and replaced
     * @param isHealthy whether all servers are running and recovered
     * @param recovered share of the rows and parities that the replacement of a lost server has, from 0 to 1; 1 if none is being
     *     recovered
     */
    @PublicApi
    public record ServerState(List<String> executors, int replaced, boolean isHealthy, double recovered) {
        /** Copies the list. */
        public ServerState {
            executors = List.copyOf(executors);
        }
    }

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
                servers.isHealthy()
                        ? ""
                        : String.format(Locale.ROOT, ", a server is being recovered: %d %%", (int)
                                (100 * servers.recovered())));
    }
}
