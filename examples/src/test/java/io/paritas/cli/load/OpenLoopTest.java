/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenLoopTest {
    private static final Outcome PREDICTED = Outcome.answered("predicted");

    /** A server that answers nothing until the last query has come: a closed loop would never send it. */
    @Test
    void queriesAreSentThoughNoneIsAnswered() throws InterruptedException {
        List<CompletableFuture<Outcome>> open = new ArrayList<>();
        Sender stalled = query -> {
            CompletableFuture<Outcome> reply = new CompletableFuture<>();
            open.add(reply);
            if (open.size() == 50) {
                open.forEach(each -> each.complete(PREDICTED));
            }
            return reply;
        };
        RateResult measured =
                new OpenLoop(stalled, 50).run(every(2, 50), 0, outcome -> {}).measured(500);
        assertThat(measured.answered()).isEqualTo(50);
        // The first waited for 49 gaps of 2 ms, and the others for less and less: at least, whatever this machine does
        // besides.
        assertThat(measured.percentile(100).orElseThrow()).isGreaterThanOrEqualTo(97);
        assertThat(measured.percentile(50).orElseThrow()).isGreaterThanOrEqualTo(47);
    }

    /** One connection, and a reply that takes its time: the queries behind it wait, which a closed loop would not show. */
    @Test
    void aLatencyCountsFromWhenTheQueryWasToBeSent() throws InterruptedException {
        Sender slow = query -> {
            CompletableFuture<Outcome> reply = new CompletableFuture<>();
            return query == 0 ? reply.completeOnTimeout(PREDICTED, 150, TimeUnit.MILLISECONDS) : done();
        };
        RateResult measured =
                new OpenLoop(slow, 1).run(every(1, 100), 0, outcome -> {}).measured(1_000);
        // Query i was to be sent after i ms, and could not be before the 150th.
        assertThat(measured.percentile(1).orElseThrow()).isGreaterThanOrEqualTo(50);
        assertThat(measured.percentile(50).orElseThrow()).isGreaterThanOrEqualTo(99);
        assertThat(measured.waited() + measured.late()).isGreaterThanOrEqualTo(140);
    }

    @Test
    void connectionsAreNeverMoreThanAllowed() throws InterruptedException {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Sender sender = query -> {
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            return new CompletableFuture<Outcome>()
                    .completeOnTimeout(PREDICTED, 1, TimeUnit.MILLISECONDS)
                    .whenComplete((outcome, failure) -> open.decrementAndGet());
        };
        RateResult measured =
                new OpenLoop(sender, 3).run(new long[100], 0, outcome -> {}).measured(1);
        assertThat(measured.answered()).isEqualTo(100);
        assertThat(most.get()).isLessThanOrEqualTo(3);
    }

    @Test
    void aSlowGeneratorIsLate() throws InterruptedException {
        Sender slow = query -> {
            long end = System.nanoTime() + 5_000_000;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            return done();
        };
        RateResult measured =
                new OpenLoop(slow, 1_000).run(every(1, 20), 0, outcome -> {}).measured(1_000);
        // The last was to be sent after 19 ms, and 19 others took 95.
        assertThat(measured.late()).isGreaterThanOrEqualTo(75);
    }

    @Test
    void theWarmUpDoesNotCount() throws InterruptedException {
        List<Outcome> ended = new ArrayList<>();
        Sender sender =
                query -> query < 10 ? CompletableFuture.completedFuture(Outcome.failed("503", "too many")) : done();
        RateResult measured =
                new OpenLoop(sender, 4).run(every(1, 30), 10, ended::add).measured(1_000);
        assertThat(ended).hasSize(30);
        assertThat(measured.answered()).isEqualTo(20);
        assertThat(measured.failures()).isEmpty();
        assertThat(measured.outcomes()).containsOnlyKeys("predicted").containsValue(20L);
        // 20 answers in 19 ms at least: the ten before them are not in the time either.
        assertThat(measured.reached()).isLessThanOrEqualTo(20 / 0.019);
    }

    private static CompletableFuture<Outcome> done() {
        return CompletableFuture.completedFuture(PREDICTED);
    }

    private static long[] every(int millis, int count) {
        return LongStream.range(0, count).map(i -> i * millis * 1_000_000).toArray();
    }
}
