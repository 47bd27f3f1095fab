/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockTest {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private String next() throws InterruptedException {
        return heard.poll(30, TimeUnit.SECONDS);
    }

    @Test
    void actionsRunOnOneDaemonInTheOrderOfTheirTimes() throws InterruptedException {
        try (Clock clock = new Clock("a clock")) {
            clock.after(Duration.ofMillis(50).toNanos(), () -> heard.add("later"));
            clock.soon(() -> heard.add(
                    Thread.currentThread().getName() + (Thread.currentThread().isDaemon() ? " is a daemon" : "")));
            assertThat(List.of(next(), next())).containsExactly("a clock is a daemon", "later");
        }
    }

    @Test
    void aFailureDoesNotStopTheClock() throws InterruptedException {
        try (Clock clock = new Clock("a clock")) {
            clock.soon(() -> {
                throw new IllegalStateException("on purpose");
            });
            clock.soon(() -> heard.add("next"));
            assertThat(next()).isEqualTo("next");
        }
    }

    @Test
    void aClosedClockDoesNothing() {
        Clock clock = new Clock("a clock");
        clock.after(Duration.ofDays(1).toNanos(), () -> heard.add("never"));
        clock.close();
        clock.soon(() -> heard.add("never"));
        assertThat(heard).isEmpty();
    }
}
