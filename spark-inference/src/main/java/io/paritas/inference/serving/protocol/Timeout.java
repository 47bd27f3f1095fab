/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.time.Duration;

/** The parameter {@code timeout} of a request: the deadline of its queries in microseconds, as in Triton. */
public final class Timeout {
    /** The name of the parameter. */
    public static final String NAME = "timeout";

    /** The longest. */
    public static final Duration MOST = Duration.ofHours(1);

    private Timeout() {}

    /**
     * Checks a deadline.
     *
     * @param micros 0 if what was given is no whole number
     * @param given what was given, for the message
     * @throws IllegalArgumentException if it is not positive, or longer than an hour
     */
    public static Duration of(long micros, Object given) {
        if (micros < 1 || micros > MOST.toNanos() / 1_000) {
            throw new IllegalArgumentException("the parameter timeout must be 1 to " + MOST.toNanos() / 1_000
                    + " whole microseconds, got " + given);
        }
        return Duration.ofNanos(micros * 1_000);
    }
}
