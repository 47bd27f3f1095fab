/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> done = new ArrayList<>();

    private LongConsumer note(String what) {
        return now -> done.add(what + " at " + now);
    }

    @Test
    void runsWhatIsDueInTheOrderOfTheTimes() {
        timers.at(30, note("late"));
        timers.at(20, note("second"));
        timers.at(10, note("first"));
        timers.at(20, note("third"));

        timers.run(20);

        assertThat(done).containsExactly("first at 20", "second at 20", "third at 20");
        assertThat(timers.next()).hasValue(30);
    }

    @Test
    void whatARunAddsForAPastTimeRunsInTheNextRun() {
        LongConsumer again = new LongConsumer() {
            @Override
            public void accept(long now) {
                done.add("at " + now);
                if (done.size() < 100) {
                    timers.at(5, this);
                }
            }
        };
        timers.at(10, again);

        timers.run(10);
        assertThat(done).containsExactly("at 10");
        timers.run(11);

        assertThat(done).containsExactly("at 10", "at 11");
        assertThat(timers.next()).hasValue(5);
    }

    @Test
    void whatARunCancelsDoesNotRun() {
        List<Timers.Timer> other = new ArrayList<>();
        timers.at(10, now -> timers.cancel(other.get(0)));
        other.add(timers.at(11, note("cancelled")));

        timers.run(20);

        assertThat(done).isEmpty();
        assertThat(timers.size()).isZero();
    }
}
