/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

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

    /** Ids of those that Spark has told to leave. */
    private Set<String> leaving = Set.of();

    /** How many of these have been replaced while they are still there. */
    private int replaced;

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
     * How many executors are still to come. Spark may replace one that it has told to leave before it is gone.
     *
     * @param executors ids of those that are there now
     * @param staying those of them that have not been told to leave
     */
    synchronized int expected(Set<String> executors, Set<String> staying) {
        long now = clock.getAsLong();
        last.stream().filter(executor -> !executors.contains(executor)).forEach(lost -> lose(lost, now));
        leaving = executors.stream()
                .filter(executor -> !staying.contains(executor))
                .collect(Collectors.toSet());
        replaced = Math.min(replaced, leaving.size());
        executors.stream().filter(known::add).forEach(newcomer -> replace());
        last = Set.copyOf(executors);
        losses.removeIf(lost -> now - lost >= delay);
        return losses.size();
    }

    private void lose(String executor, long now) {
        if (replaced > 0 && leaving.contains(executor)) {
            replaced--;
        } else {
            losses.add(now);
        }
    }

    private void replace() {
        if (losses.poll() == null && replaced < leaving.size()) {
            replaced++;
        }
    }
}
