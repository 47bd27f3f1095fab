/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Counts the executors that Spark is about to start in place of lost ones. Nobody says whether it will, so they are waited for a while
 * only. Thread-safe.
 */
final class Replacements {
    private final long delay;
    private final LongSupplier clock;

    /** Ids of all executors that have ever been there. They are never given again. */
    private final Set<String> known = new HashSet<>();

    private Set<String> last = Set.of();

    /** When executors were lost that have not been replaced, the earliest first. */
    private final Deque<Long> losses = new ArrayDeque<>();

    /**
     * @param delay how long a replacement is waited for; zero is not at all
     * @param clock nanoseconds since any moment
     */
    Replacements(Duration delay, LongSupplier clock) {
        this.delay = delay.toNanos();
        this.clock = clock;
    }

    /**
     * How many executors are still to come.
     *
     * @param executors ids of those that are there now
     */
    synchronized int expected(Set<String> executors) {
        long now = clock.getAsLong();
        last.stream().filter(executor -> !executors.contains(executor)).forEach(lost -> losses.add(now));
        executors.stream().filter(known::add).forEach(replacement -> losses.poll());
        last = Set.copyOf(executors);
        losses.removeIf(lost -> now - lost >= delay);
        return losses.size();
    }
}
