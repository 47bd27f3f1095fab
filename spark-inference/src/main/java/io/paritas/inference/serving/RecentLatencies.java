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
    /* Sorting for every query would cost too much. */
    private static final int FRESH = 64;

    private final long[] ring = new long[KEPT];
    private long count;
    private long[] sorted = new long[0];

    void add(long nanos) {
        ring[(int) (count++ % KEPT)] = nanos;
        boolean first = count >= FEW && count < FRESH && Long.bitCount(count) == 1;
        if (first || count % FRESH == 0 || count == ENOUGH) {
            sorted = Arrays.copyOf(ring, (int) Math.min(count, KEPT));
            Arrays.sort(sorted);
        }
    }

    /** The median; empty while there are fewer than 8 latencies. */
    OptionalLong median() {
        return count < FEW ? OptionalLong.empty() : OptionalLong.of(sorted[sorted.length / 2]);
    }

    /** A percentile, between 0 and 100; empty while there are fewer than 100 latencies. */
    OptionalLong percentile(double percentile) {
        return count < ENOUGH
                ? OptionalLong.empty()
                : OptionalLong.of(sorted[(int) Math.min(sorted.length - 1, sorted.length * percentile / 100)]);
    }
}
