/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long recent fetches of this executor took, and who was late: after which time a block is decoded although it may still come.
 * Thread-safe.
 */
final class FetchTimes {
    private static final int RECENT = 128;

    private final long leastNanos;
    private final double patience;
    private final long[] nanos = new long[RECENT];
    private final long[] sorted = new long[RECENT];
    private int next;
    private int size;
    private volatile long untilLate;

    /** Executors whose last fetch was late: blocks of theirs are decoded at once, while they are fetched. */
    private final Set<String> late = ConcurrentHashMap.newKeySet();

    /**
     * @param least before which nothing is late
     * @param patience multiple of the median after which a fetch is late
     */
    FetchTimes(Duration least, double patience) {
        this.leastNanos = least.toNanos();
        this.patience = patience;
        this.untilLate = leastNanos;
    }

    /** A fetch has taken so long. */
    void add(String executor, long took) {
        addLate(executor, took, took);
    }

    /**
     * A fetch was late. It counts for no more than its limit, or one executor that stands still would make all others wait for the next one
     * that does. If all fetches are slow from now on, the limit grows nevertheless, with a patience of 2 or more.
     *
     * @param limit after which it was late
     */
    void addLate(String executor, long took, long limit) {
        if (took < nanosUntilLate()) {
            late.remove(executor);
        }
        keep(Math.min(took, limit));
    }

    /** In order, so that nobody has to sort them for each block. */
    private synchronized void keep(long took) {
        int place = size < RECENT ? size++ : Arrays.binarySearch(sorted, nanos[next]);
        nanos[next] = took;
        next = (next + 1) % RECENT;
        for (; place > 0 && sorted[place - 1] > took; place--) {
            sorted[place] = sorted[place - 1];
        }
        for (; place < size - 1 && sorted[place + 1] < took; place++) {
            sorted[place] = sorted[place + 1];
        }
        sorted[place] = took;
        untilLate = Math.max(leastNanos, (long) (patience * sorted[size / 2]));
    }

    void late(String executor) {
        late.add(executor);
    }

    boolean isLate(String executor) {
        return late.contains(executor);
    }

    /** How long to wait for a fetch. */
    long nanosUntilLate() {
        return untilLate;
    }
}
