/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import io.paritas.spark.ecrm.host.ServerState;
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
