/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DriverSchedulerTest {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    private String next() throws InterruptedException {
        return heard.poll(30, TimeUnit.SECONDS);
    }

    @Test
    void actionsRunOnOneDaemonInTheOrderOfTheirTimes() throws InterruptedException {
        try (DriverScheduler scheduler = new DriverScheduler("a scheduler")) {
            scheduler.after(Duration.ofMillis(50).toNanos(), () -> heard.add("later"));
            scheduler.soon(() -> heard.add(
                    Thread.currentThread().getName() + (Thread.currentThread().isDaemon() ? " is a daemon" : "")));
            assertThat(List.of(next(), next())).containsExactly("a scheduler is a daemon", "later");
        }
    }

    @Test
    void aFailureDoesNotStopTheClock() throws InterruptedException {
        try (DriverScheduler scheduler = new DriverScheduler("a scheduler")) {
            scheduler.soon(() -> {
                throw new IllegalStateException("on purpose");
            });
            scheduler.soon(() -> heard.add("next"));
            assertThat(next()).isEqualTo("next");
        }
    }

    @Test
    void aClosedClockDoesNothing() {
        DriverScheduler scheduler = new DriverScheduler("a scheduler");
        scheduler.after(Duration.ofDays(1).toNanos(), () -> heard.add("never"));
        scheduler.close();
        scheduler.soon(() -> heard.add("never"));
        assertThat(heard).isEmpty();
    }
}
