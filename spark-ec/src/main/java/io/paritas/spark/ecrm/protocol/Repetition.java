/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * How long to wait for an answer before a message is repeated, in milliseconds: the longer, the more bytes are under way, because
 * whoever repeats much too early sends or gets it several times. And longer each time, because repetitions make slow servers even slower.
 */
public final class Repetition {
    /** Longest wait, as a multiple of {@link Timing#retry}. */
    private static final int LONGEST = 16;

    /** How many bytes a message and its answer may have for each {@link Timing#retry} that they may take. */
    private static final long BYTES_OF_RETRY = 8 << 20;
    /** How often at least to repeat within a lease what ends with it. */
    private static final int IN_LEASE = 4;

    private Repetition() {}

    /** Returns the first wait. */
    public static long first(Timing timing, long bytes) {
        return timing.retry() * Math.min(LONGEST, 1 + bytes / BYTES_OF_RETRY);
    }

    /** Returns the wait after another one. */
    public static long next(Timing timing, long before) {
        return Math.min(2 * before, LONGEST * timing.retry());
    }

    /** Returns a wait that is so short that there are some within a lease: then servers end an attempt. */
    public static long inLease(Timing timing, long wait) {
        return Math.max(timing.retry(), Math.min(wait, timing.lease() / IN_LEASE));
    }
}
