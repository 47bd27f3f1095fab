/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import io.paritas.inference.RareWarnings;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LaneTest {

    /** The wake-up at a query's deadline would keep a version that is retired for an hour. */
    @Test
    void theClockKeepsNoLaneThatIsDrained() {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
            Lane lane = answered(new Policy.Uncoded(), clock);
            assertThat(clock.getQueue()).hasSize(1);

            assertThat(lane.drain()).succeedsWithin(Duration.ofMinutes(1));

            assertThat(clock.getQueue()).isEmpty();
        } finally {
            clock.shutdownNow();
        }
    }

    /** The hedge of a query that is answered is still to be waked for. */
    @Test
    void isDrainedWithoutMemoryForAnotherWakeUp() {
        AtomicBoolean full = new AtomicBoolean();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                if (full.get()) {
                    throw new OutOfMemoryError("there is no room for a wake-up");
                }
                return super.schedule(task, delay, unit);
            }
        };
        try {
            Lane lane = answered(new Policy.Hedged(95, Duration.ofMinutes(30)), clock);
            full.set(true);

            assertThat(lane.drain()).succeedsWithin(Duration.ofMinutes(1));
        } finally {
            clock.shutdownNow();
        }
    }

    @Test
    void aDeadlineComesThoughItsWakeUpWasLost() {
        AtomicBoolean lost = new AtomicBoolean();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                return super.schedule(lost.getAndSet(true) ? task : () -> {}, delay, unit);
            }
        };
        try {
            Lane lane = lane(new Policy.Uncoded(), clock);
            CompletableFuture<Reply> reply = submit(lane, Duration.ofMillis(1));

            watch(lane, clock);

            assertThat(reply)
                    .succeedsWithin(Duration.ofMinutes(1))
                    .isEqualTo(Reply.unavailable("no answer within 1 ms"));
        } finally {
            clock.shutdownNow();
        }
    }

    /** As where memory is short when the answer comes: the instance would be busy for ever. */
    @Test
    void anAnswerThatWasLostIsHeardLater() {
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
            Lane lane = lane(new Policy.Uncoded(), clock);
            CompletableFuture<float[][]> answer = new CompletableFuture<>() {
                private boolean lost;

                @Override
                public <U> CompletableFuture<U> handle(BiFunction<? super float[][], Throwable, ? extends U> listener) {
                    if (lost) {
                        return super.handle(listener);
                    }
                    lost = true;
                    throw new OutOfMemoryError("there is no room for a listener: thrown on purpose by this test");
                }
            };
            answer.complete(new float[][] {{7}});
            lane.join(new Instance("a", 0, Role.DEPLOYED, "a"), link(rows -> answer));
            CompletableFuture<Reply> reply = submit(lane, Duration.ofHours(1));
            assertThat(reply).isNotDone();

            watch(lane, clock);

            assertThat(reply).succeedsWithin(Duration.ofMinutes(1)).satisfies(done -> assertThat(done.values())
                    .containsExactly(7));
            assertThat(lane.drain()).succeedsWithin(Duration.ofMinutes(1));
        } finally {
            clock.shutdownNow();
        }
    }

    private static void watch(Lane lane, ScheduledThreadPoolExecutor clock) {
        var unused = clock.scheduleWithFixedDelay(lane::watch, 0, 100, TimeUnit.MILLISECONDS);
    }

    /** Each is tried three times, and a model may fail with whatever a client sends. */
    @Test
    void ofManyBatchesThatFailOneIsAWarning() {
        String text = "Paritas: a, for the model linear, version 1: an index is out of range";
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try (Logged log = new Logged(Lane.class.getName())) {
            Lane lane = new Lane(
                    model(new Policy.Uncoded()),
                    clock,
                    Runnable::run,
                    AnswerObserver.NONE,
                    RowMemory.ofHeap(),
                    new RareWarnings(LoggerFactory.getLogger(Lane.class), () -> 0));
            lane.join(
                    new Instance("a", 0, Role.DEPLOYED, "a"),
                    link(rows ->
                            CompletableFuture.failedFuture(new IllegalStateException("an index is out of range"))));
            for (int query = 0; query < 50; query++) {
                assertThat(submit(lane, Duration.ofHours(1))).succeedsWithin(Duration.ofMinutes(1));
            }

            assertThat(log.lines()).hasSize(150).startsWith("WARN " + text);
            assertThat(log.lines().subList(1, 150)).containsOnly("DEBUG " + text);
        } finally {
            clock.shutdownNow();
        }
    }

    private static CompletableFuture<Reply> submit(Lane lane, Duration deadline) {
        return lane.submit("tenant", List.of(new float[3]), deadline, TraceSpan.OFF, Runnable::run)
                .get(0);
    }

    /** A lane that has answered one query, whose deadline was in an hour. */
    private static Lane answered(Policy policy, ScheduledThreadPoolExecutor clock) {
        Lane lane = lane(policy, clock);
        lane.join(
                new Instance("a", 0, Role.DEPLOYED, "a"),
                link(rows -> CompletableFuture.completedFuture(new float[rows][1])));
        assertThat(submit(lane, Duration.ofHours(1))).succeedsWithin(Duration.ofMinutes(1));
        return lane;
    }

    private static Lane lane(Policy policy, ScheduledThreadPoolExecutor clock) {
        return new Lane(model(policy), clock, Runnable::run, AnswerObserver.NONE, RowMemory.ofHeap());
    }

    private static ServedModel model(Policy policy) {
        return new ServedModel(
                "linear",
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(1)),
                policy,
                Limits.DEFAULT);
    }

    private static Link link(IntFunction<CompletableFuture<float[][]>> answer) {
        return new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return answer.apply(inputs.length);
            }

            @Override
            public void cancel(long batch) {}
        };
    }
}
