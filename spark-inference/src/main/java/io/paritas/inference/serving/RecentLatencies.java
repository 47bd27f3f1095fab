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

    /* Those that are sorted, and those that have come since then. */
    private final long[] ring = new long[KEPT + FRESH];
    private long count;
    private long[] sorted = new long[0];

    void add(long nanos) {
        ring[(int) (count++ % ring.length)] = nanos;
        boolean first = count >= FEW && count < FRESH && Long.bitCount(count) == 1;
        if (count > KEPT && count % FRESH == 0) {
            replaceOldest();
        } else if (first || count % FRESH == 0 || count == ENOUGH) {
            sorted = block(0, (int) count);
        }
    }

    /* Puts the latest into the place of the oldest, in a sixth of the time that all take to be sorted. */
    private void replaceOldest() {
        long[] oldest = block(count % ring.length, FRESH); // which are the next to be overwritten
        long[] latest = block((count - FRESH) % ring.length, FRESH);
        long[] merged = new long[KEPT];
        int gone = 0;
        int taken = 0;
        int size = 0;
        for (long nanos : sorted) {
            if (gone < FRESH && nanos == oldest[gone]) {
                gone++;
                continue;
            }
            while (taken < FRESH && latest[taken] < nanos) {
                merged[size++] = latest[taken++];
            }
            merged[size++] = nanos;
        }
        System.arraycopy(latest, taken, merged, size, FRESH - taken);
        sorted = merged;
    }

    private long[] block(long from, int length) {
        long[] block = Arrays.copyOfRange(ring, (int) from, (int) from + length);
        Arrays.sort(block);
        return block;
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
