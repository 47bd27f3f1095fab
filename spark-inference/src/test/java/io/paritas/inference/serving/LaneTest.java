/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

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

    /** A lane that has answered one query, whose deadline was in an hour. */
    private static Lane answered(Policy policy, ScheduledThreadPoolExecutor clock) {
        ServedModel model = new ServedModel(
                "linear",
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(1)),
                policy,
                Limits.DEFAULT);
        Lane lane = new Lane(model, clock, Runnable::run, AnswerObserver.NONE);
        lane.join(new Instance("a", 0, Role.DEPLOYED, "a"), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return CompletableFuture.completedFuture(new float[inputs.length][1]);
            }

            @Override
            public void cancel(long batch) {}
        });
        CompletableFuture<Reply> reply = lane.submit(
                        "tenant", List.of(new float[3]), Duration.ofHours(1), TraceSpan.OFF, Runnable::run)
                .get(0);
        assertThat(reply).succeedsWithin(Duration.ofMinutes(1));
        return lane;
    }
}
