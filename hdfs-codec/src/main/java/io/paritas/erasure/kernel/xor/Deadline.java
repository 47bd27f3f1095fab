/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.time.Duration;

/** The time at which an optimiser stops and returns its result so far, which is always correct. */
public final class Deadline {
    private static final Deadline NEVER = new Deadline(0, Long.MAX_VALUE);

    private final long start;
    private final long budget;

    private Deadline(long start, long budget) {
        this.start = start;
        this.budget = budget;
    }

    /** No deadline: the optimiser ends by itself. */
    public static Deadline never() {
        return NEVER;
    }

    /** A deadline this long from now; zero or less stops at once. */
    public static Deadline after(Duration budget) {
        return new Deadline(System.nanoTime(), budget.toNanos());
    }

    boolean passed() {
        return this != NEVER && System.nanoTime() - start >= budget;
    }
}
