/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.Arrays;
import java.util.OptionalLong;

/** The latencies of the last 1,024 answers, for policies that wait for a percentile of them. Not thread-safe. */
final class RecentLatencies {
    private static final int KEPT = 1_024;
    /* A percentile of fewer says little. */
    private static final int ENOUGH = 100;
    /* The median of these is near enough to begin with. */
    private static final int FEW = 8;

    private final long[] ring = new long[KEPT];
    /* The same, in order. */
    private final long[] sorted = new long[KEPT];
    private long count;

    /** Sorting would cost too much: what is between the places of the oldest and the new one moves by one. */
    void add(long nanos) {
        int oldest = (int) (count % KEPT);
        int kept = kept();
        int from = kept < KEPT ? kept : Arrays.binarySearch(sorted, ring[oldest]);
        int found = Arrays.binarySearch(sorted, 0, kept, nanos);
        int to = found < 0 ? -found - 1 : found;
        if (to > from) {
            to--;
            System.arraycopy(sorted, from + 1, sorted, from, to - from);
        } else {
            System.arraycopy(sorted, to, sorted, to + 1, from - to);
        }
        sorted[to] = nanos;
        ring[oldest] = nanos;
        count++;
    }

    private int kept() {
        return (int) Math.min(count, KEPT);
    }

    /** The median; empty while there are fewer than 8 latencies. */
    OptionalLong median() {
        return count < FEW ? OptionalLong.empty() : OptionalLong.of(sorted[kept() / 2]);
    }

    /** A percentile, between 0 and 100; empty while there are fewer than 100 latencies. */
    OptionalLong percentile(double percentile) {
        return count < ENOUGH
                ? OptionalLong.empty()
                : OptionalLong.of(sorted[(int) Math.min(kept() - 1, kept() * percentile / 100)]);
    }
}
