/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.io.Serializable;

/**
 * How long who waits, in milliseconds.
 *
 * @param retry for an answer, before it is asked for again
 * @param lease for a worker to finish what it has staged, before the driver does
 * @param backoff of a worker that was refused, before it tries again: about so long
 */
public record Timing(long retry, long lease, long backoff) implements Serializable {
    public static final Timing DEFAULT = new Timing(200, 10_000, 5);

    public Timing {
        if (retry < 1 || lease < retry || backoff < 0) {
            throw new IllegalArgumentException(
                    "What is asked again after " + retry + " ms needs a lease of at least that, and "
                            + "a backoff of at least 0 ms, but they are " + lease + " and " + backoff);
        }
    }
}
