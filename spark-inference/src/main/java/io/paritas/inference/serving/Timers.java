/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/** A schedule of actions, without a clock or a thread of its own. Not thread-safe. */
final class Timers {
    private final TreeSet<Timer> timers =
            new TreeSet<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private long made;

    /** An action that runs at a time or later; it is told the time of its run. */
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

    /** When the next action is due; empty if there is none. */
    OptionalLong next() {
        return timers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(timers.first().at);
    }

    /** Runs what is due. What an action adds runs in a later run at the earliest, even for a time in the past, so a run ends. */
    void run(long now) {
        for (Timer timer : List.copyOf(timers.headSet(new Timer(now, Long.MAX_VALUE, null), true))) {
            if (timers.remove(timer)) { // not cancelled by an earlier one
                timer.action.accept(now);
            }
        }
    }
}
