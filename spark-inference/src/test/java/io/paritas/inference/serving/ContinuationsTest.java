/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What depends on a reply may wait, for the next reply as well, and holds up nobody. */
@Timeout(120)
class ContinuationsTest {
    private static final float[] QUERY = new float[3];
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final FrontEnd frontEnd = new FrontEnd();

    @AfterEach
    void end() {
        frontEnd.close();
    }

    private void add(String name) {
        frontEnd.add(new ServedModel(
                name,
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(2)),
                new Policy.Uncoded(),
                Limits.DEFAULT));
    }

    private void join(String name, Supplier<CompletableFuture<float[][]>> answer) {
        frontEnd.join(name, "1", new Instance("i", 0, Role.DEPLOYED, "here"), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return answer.get();
            }

            @Override
            public void cancel(long batch) {}
        });
    }

    private CompletableFuture<Reply> ask(String name, Duration deadline) {
        return frontEnd.predict(name, "", "", List.of(QUERY), deadline).get(0);
    }

    /** Deadlines have one clock. */
    @Test
    void whoAsksAgainAndWaitsAfterADeadlineStopsNoOther() {
        add("a");
        add("b");

        CompletableFuture<Reply> again =
                ask("a", SHORT).thenApply(reply -> ask("a", SHORT).join());

        assertThat(again).succeedsWithin(LONG).extracting(Reply::outcome).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(ask("b", SHORT))
                .succeedsWithin(LONG)
                .extracting(Reply::outcome)
                .isEqualTo(Outcome.UNAVAILABLE);
    }

    /** The thread that has the first answer sends the second query. */
    @Test
    void whoAsksAgainAndWaitsAfterAnAnswerHoldsUpNoOther() {
        ExecutorService instance = Executors.newSingleThreadExecutor();
        try {
            CountDownLatch goOn = new CountDownLatch(1);
            add("a");
            join(
                    "a",
                    () -> CompletableFuture.supplyAsync(
                            () -> {
                                await(goOn);
                                return new float[1][2];
                            },
                            instance));

            CompletableFuture<Reply> again =
                    ask("a", LONG).thenApply(reply -> ask("a", LONG).join());
            CompletableFuture<Reply> other = ask("a", LONG);
            goOn.countDown();

            assertThat(other.join().outcome()).isEqualTo(Outcome.PREDICTED);
            assertThat(again.join().outcome()).isEqualTo(Outcome.PREDICTED);
        } finally {
            instance.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The instance answers at once: each query would be asked on the stack of the last one. */
    @Test
    void whoAsksAgainAndAgainNeedsNoStack() {
        add("a");
        join("a", () -> CompletableFuture.completedFuture(new float[1][2]));
        AtomicInteger replies = new AtomicInteger();
        IntFunction<CompletableFuture<Reply>> chain = new IntFunction<>() {
            @Override
            public CompletableFuture<Reply> apply(int left) {
                CompletableFuture<Reply> reply = ask("a", LONG);
                var unused = reply.thenRun(replies::incrementAndGet);
                return left == 1 ? reply : reply.thenCompose(done -> apply(left - 1));
            }
        };

        assertThat(chain.apply(10_000))
                .succeedsWithin(Duration.ofMinutes(1))
                .extracting(Reply::outcome)
                .isEqualTo(Outcome.PREDICTED);
        assertThat(frontEnd.drain()).succeedsWithin(LONG);
        assertThat(frontEnd.lane("a", "1").kept()).isZero();
    }

    @Test
    void whatDependsOnTheLastReplyMayWaitForTheEnd() {
        add("a");

        CompletableFuture<Void> ended =
                ask("a", SHORT).thenRun(() -> frontEnd.retire("a", "1").join());

        assertThat(ended).succeedsWithin(LONG);
        assertThat(frontEnd.has("a")).isFalse();
    }

    @Test
    void whatDependsOnTheEndOfAVersionMayAskAnother() {
        add("a");
        add("b");
        CompletableFuture<Reply> last = ask("a", SHORT);
        CompletableFuture<Reply> next =
                frontEnd.retire("a", "1").thenApply(retired -> ask("b", SHORT).join());

        assertThat(last).succeedsWithin(LONG).extracting(Reply::outcome).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(next).succeedsWithin(LONG).extracting(Reply::outcome).isEqualTo(Outcome.UNAVAILABLE);
    }

    /** As where the system has no thread left, or an executor was shut down. */
    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, RejectedExecutionException.class})
    void aReplyComesThoughTheExecutorRefuses(Class<? extends Throwable> refusal) {
        add("a");
        join("a", () -> CompletableFuture.completedFuture(new float[1][2]));

        List<CompletableFuture<Reply>> replies =
                frontEnd.predict("a", "", "", List.of(QUERY), LONG, TraceSpan.OFF, task -> {
                    if (refusal == OutOfMemoryError.class) {
                        throw new OutOfMemoryError("thrown on purpose: unable to create native thread");
                    }
                    throw new RejectedExecutionException("thrown on purpose: it was shut down");
                });

        assertThat(replies.get(0)).isCompletedWithValueMatching(reply -> reply.outcome() == Outcome.PREDICTED);
    }
}
