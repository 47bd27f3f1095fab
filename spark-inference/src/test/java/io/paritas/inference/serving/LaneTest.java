/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;

class LaneTest {

    /** The wake-up at a query's deadline would keep a version that is retired for an hour. */
    @Test
    void theClockKeepsNoLaneThatIsDrained() {
        ServedModel model = new ServedModel(
                "linear",
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(1)),
                new Policy.Uncoded(),
                Limits.DEFAULT);
        ScheduledThreadPoolExecutor clock = FrontEnd.clock();
        try {
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
            assertThat(clock.getQueue()).hasSize(1);

            assertThat(lane.drain()).succeedsWithin(Duration.ofMinutes(1));

            assertThat(clock.getQueue()).isEmpty();
        } finally {
            clock.shutdownNow();
        }
    }
}
