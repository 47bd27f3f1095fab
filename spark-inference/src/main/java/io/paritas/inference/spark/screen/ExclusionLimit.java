/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How many executors may be ended, whatever is thought of them: a few in 24 hours, and never so many that fewer than half are left.
 * Those that Spark replaces count for a day, others for good. Guarded by {@link Removals}.
 */
final class ExclusionLimit {
    private static final long DAY = Duration.ofDays(1).toNanos();

    private final int perDay;
    private final boolean replaced;
    private final LongSupplier nanoClock;
    private final Deque<Long> ofLastDay = new ArrayDeque<>();
    private int ended;

    /**
     * A limit.
     *
     * @param perDay executors that may be ended in 24 hours
     * @param replaced whether Spark starts others in their place
     */
    ExclusionLimit(int perDay, boolean replaced, LongSupplier nanoClock) {
        this.perDay = perDay;
        this.replaced = replaced;
        this.nanoClock = nanoClock;
    }

    /**
     * Why no executor may be ended now.
     *
     * @param left executors that there are, without those that were ended
     */
    Optional<String> obstacle(int left) {
        ofLastDay.removeIf(at -> nanoClock.getAsLong() - at >= DAY);
        if (ofLastDay.size() >= perDay) {
            return Optional.of("no more than " + perDay + " executors are ended in 24 hours");
        }
        int all = left + (replaced ? ofLastDay.size() : ended);
        return 2 * (left - 1) < all ? Optional.of("fewer than half of the executors would be left") : Optional.empty();
    }

    /** Counts an executor that is ended. */
    void count() {
        ofLastDay.add(nanoClock.getAsLong());
        ended++;
    }
}
