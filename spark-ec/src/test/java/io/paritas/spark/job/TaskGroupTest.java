/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;

class TaskGroupTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static volatile CountDownLatch started;
    private static volatile CountDownLatch held;
    private static final AtomicInteger KILLED = new AtomicInteger();

    private final JavaSparkContext context =
            new JavaSparkContext(LocalSpark.session().sparkContext());
    private final TaskGroup group = new TaskGroup(context.sc());

    @Test
    void waitsForTasksThatDoNotKnowTheirJobHasFailed() throws Exception {
        assertThatThrownBy(() -> group.run(() -> Stubborn.elements(context).collect()))
                .hasMessageContaining("a stubborn test");
        assertThat(group.end(LONG)).isTrue();
        assertThat(Stubborn.hasEnded()).isTrue();
    }

    @Test
    void waitsNoLongerThanItIsTold() throws Exception {
        CompletableFuture<Long> job = held(group);
        assertThat(group.end(Duration.ofMillis(50))).isFalse();
        held.countDown();
        assertThatThrownBy(job::get).hasMessageContaining("cancelled");
        assertThat(group.end(LONG)).isTrue();
    }

    @Test
    void doesNotWaitForOthers() throws Exception {
        CompletableFuture<Long> others = held(new TaskGroup(context.sc()));
        assertThat(group.run(() -> context.parallelize(List.of(1, 2), 1).count()))
                .isEqualTo(2);
        assertThat(group.end(LONG)).isTrue();
        assertThat(others).isNotDone();
        held.countDown();
        assertThat(others.get()).isEqualTo(1);
    }

    /** Spark goes on with the jobs of a thread that is interrupted. */
    @Test
    void endsTheJobsOfAnInterruptedThread() throws Exception {
        started = new CountDownLatch(1);
        KILLED.set(0);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Thread driver = new Thread(() -> {
            try {
                group.run(() -> context.parallelize(List.of(1), 1)
                        .map(TaskGroupTest::untilKilled)
                        .count());
            } catch (Throwable e) {
                ended.completeAsync(this::end, Runnable::run);
            }
        });
        driver.start();
        awaitStart();
        driver.interrupt();
        assertThat(ended.get()).isTrue();
        assertThat(KILLED).hasValue(1);
    }

    @Test
    void leavesTheThreadAsItWas() {
        group.run(() -> assertThat(context.sc().getJobTags().size()).isEqualTo(1));
        assertThat(context.sc().getJobTags().isEmpty()).isTrue();
    }

    private boolean end() {
        try {
            return group.end(LONG);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static int untilKilled(int element) throws InterruptedException {
        started.countDown();
        while (!TaskContext.get().isInterrupted()) {
            Thread.sleep(1);
        }
        return KILLED.incrementAndGet();
    }

    /** A job whose task has started, and waits. */
    private CompletableFuture<Long> held(TaskGroup tasks) throws InterruptedException {
        started = new CountDownLatch(1);
        held = new CountDownLatch(1);
        CompletableFuture<Long> job =
                CompletableFuture.supplyAsync(() -> tasks.run(() -> context.parallelize(List.of(1), 1)
                        .map(TaskGroupTest::untilReleased)
                        .count()));
        awaitStart();
        return job;
    }

    private static void awaitStart() throws InterruptedException {
        assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
    }

    private static int untilReleased(int element) throws InterruptedException {
        started.countDown();
        held.await();
        return element;
    }
}
