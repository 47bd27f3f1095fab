/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    /** Spark, in Scala, throws checked exceptions that Java does not know of. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void eachFailureIsLoggedAndTheNextActionRuns() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try (Logged log = new Logged(DriverScheduler.class.getName());
                DriverScheduler scheduler = new DriverScheduler("test")) {
            scheduler.soon(() -> DriverSchedulerTest.<RuntimeException>sneak(new TimeoutException("late")));
            scheduler.soon(() -> {
                throw new AssertionError("wrong");
            });
            scheduler.soon(end::countDown);
            assertThat(end.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: an action of the coordinator failed",
                            "WARN Paritas: an action of the coordinator failed");
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
