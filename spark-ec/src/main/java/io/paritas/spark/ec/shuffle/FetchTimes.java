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
    private int next;
    private int size;

    /** Executors whose last fetch was late: blocks of theirs are decoded at once, while they are fetched. */
    private final Set<String> late = ConcurrentHashMap.newKeySet();

    /**
     * @param least before which nothing is late
     * @param patience multiple of the median after which a fetch is late
     */
    FetchTimes(Duration least, double patience) {
        this.leastNanos = least.toNanos();
        this.patience = patience;
    }

    /** A fetch has taken so long. */
    void add(String executor, long took) {
        if (took < nanosUntilLate()) {
            late.remove(executor);
        }
        synchronized (this) {
            nanos[next] = took;
            next = (next + 1) % RECENT;
            size = Math.min(size + 1, RECENT);
        }
    }

    void late(String executor) {
        late.add(executor);
    }

    boolean isLate(String executor) {
        return late.contains(executor);
    }

    /** How long to wait for a fetch. */
    long nanosUntilLate() {
        return Math.max(leastNanos, (long) (patience * median()));
    }

    private synchronized long median() {
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        return size == 0 ? 0 : sorted[size / 2];
    }
}
