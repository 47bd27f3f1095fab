/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.time.Duration;

/**
 * Waiting times of the protocol, in milliseconds.
 *
 * @param retry how long to wait for an answer before asking again, at least 1
 * @param lease how long a worker may take to finish a staged attempt before the driver does, at least {@code retry}
 * @param backoff longest wait of a refused worker before it tries again, times the attempts so far (up to 8), at least
 *     0
 */
@PublicApi
public record Timing(long retry, long lease, long backoff) implements Serializable {
    /** Retry after 200 ms, a lease of 10 s, a backoff of 5 ms. */
    public static final Timing DEFAULT = new Timing(200, 10_000, 5);

    /**
     * Returns waiting times given as durations.
     *
     * @throws IllegalArgumentException if retry is below 1 ms, lease below retry, or backoff negative
     */
    public static Timing of(Duration retry, Duration lease, Duration backoff) {
        return new Timing(retry.toMillis(), lease.toMillis(), backoff.toMillis());
    }

    public Timing {
        if (retry < 1 || lease < retry || backoff < 0) {
            throw new IllegalArgumentException(
                    "retry must be at least 1 ms, lease at least retry and backoff at least 0 ms, got " + retry + ", "
                            + lease + " and " + backoff + " ms");
        }
    }
}
