/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.Comparator;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/** Actions at times, in the order of the times. Not thread-safe, and without a clock of its own. */
final class Timers {
    private final TreeSet<Timer> timers =
            new TreeSet<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private long made;

    /** An action that is due; it is told the time that it is then. */
    record Timer(long at, long number, LongConsumer action) {}

    Timer at(long time, LongConsumer action) {
        Timer timer = new Timer(time, made++, action);
        timers.add(timer);
        return timer;
    }

    void cancel(Timer timer) {
        timers.remove(timer);
    }

    int size() {
        return timers.size();
    }

    /** When something is due; empty if nothing ever is. */
    OptionalLong next() {
        return timers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(timers.first().at);
    }

    /** Does what is due. */
    void run(long now) {
        while (!timers.isEmpty() && timers.first().at <= now) {
            timers.pollFirst().action.accept(now);
        }
    }
}
