/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.Logged;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors take all orders, if no test says otherwise. */
class OrdersTest {
    private static final BlockManagerId ONE = Executors.executor(1);
    private static final BlockManagerId TWO = Executors.executor(2);

    private final AtomicLong now = new AtomicLong();
    private final Orders orders = orders(0);

    /** Files whose orders have failed. */
    private final Queue<Long> failed = new ConcurrentLinkedQueue<>();

    private Orders orders(long bytesPerSecond) {
        return orders((executor, order, bytes) -> CompletableFuture.completedFuture(null), bytesPerSecond);
    }

    private Orders orders(Orders.Upload upload, long bytesPerSecond) {
        return new Orders(upload, Duration.ofSeconds(120), bytesPerSecond, now::get);
    }

    @AfterEach
    void close() {
        orders.close();
    }

    /** Returns when a sender has it. */
    private void send(Orders by, BlockManagerId executor, int shuffle, long file, long reads) {
        CountDownLatch sent = new CountDownLatch(1);
        queue(by, executor, shuffle, file, reads, sent::countDown);
        await(sent);
    }

    private void queue(Orders by, BlockManagerId executor, int shuffle, long file, long reads, Runnable sent) {
        Supplier<byte[]> bytes = () -> {
            sent.run();
            return new byte[0];
        };
        by.sendForAnswer(executor, RequestId.makeParity(shuffle, file), reads, bytes, failure -> failed.add(file));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It is looked every five seconds. */
    private void pass(Orders by, int seconds) {
        for (int rest = seconds; rest > 0; rest -= 5) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(Math.min(rest, 5)));
            by.giveUpSilent();
        }
    }

    @Test
    void allOrdersOfAnExecutorThatSaysNothingFailOnce() {
        send(orders, ONE, 7, 1, 0);
        send(orders, ONE, 8, 2, 0);
        try (Logged log = new Logged(Orders.class.getName())) {
            pass(orders, 120);
            assertThat(failed).isEmpty();
            pass(orders, 1);
            pass(orders, 1_000);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN executor 1 must answer orders to code map outputs, and has answered none of 2 for 121 s:"
                                    + " others are asked, look whether its disks hang");
        }
        assertThat(failed).containsExactlyInAnyOrder(1L, 2L);
    }

    /** It gets no files, so it has the fewest, and would be given most orders. */
    @Test
    void whoAnswersNoneGetsOrdersAgainOnceItAnswersOne() {
        send(orders, ONE, 7, 1, 0);
        send(orders, ONE, 7, 2, 0);
        pass(orders, 120);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(ONE, TWO);
        pass(orders, 5);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(TWO);
        pass(orders, 1_000);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(TWO);

        orders.answered(ONE, RequestId.makeParity(7, 2));

        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(ONE, TWO);
    }

    /** Without an order it can answer none, and the answer may be what was lost. */
    @Test
    void whoIsSilentGetsOrdersAgainAfterRestsThatGrow() {
        send(orders, ONE, 7, 1, 0);
        pass(orders, 125);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(TWO);
        pass(orders, 1_200);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(ONE, TWO);

        send(orders, ONE, 7, 2, 0);
        pass(orders, 125);
        pass(orders, 2_000);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(TWO);
        pass(orders, 400);
        assertThat(orders.answering(List.of(ONE, TWO))).containsExactly(ONE, TWO);
    }

    /** Nobody answers those. */
    @Test
    void whoHasAnsweredNoneOfShufflesThatAreOverGetsOrders() {
        send(orders, ONE, 7, 1, 0);
        send(orders, ONE, 8, 2, 0);
        pass(orders, 125);

        orders.forget(7);
        assertThat(orders.answering(List.of(ONE))).isEmpty();
        orders.forget(8);
        assertThat(orders.answering(List.of(ONE))).containsExactly(ONE);
    }

    /** Its connection breaks in the end. */
    @Test
    void whoHasNotReceivedWhatItDoesNotAnswerGetsOrders() {
        CompletableFuture<Void> receipt = new CompletableFuture<>();
        try (Orders slow = orders((executor, order, bytes) -> receipt, 0)) {
            send(slow, ONE, 7, 1, 0);
            pass(slow, 125);
            assertThat(slow.answering(List.of(ONE))).isEmpty();

            receipt.completeExceptionally(new IOException("closed"));

            while (slow.answering(List.of(ONE)).isEmpty()) {
                Thread.onSpinWait(); // a sender's thread may tell it
            }
            assertThat(failed).as("once").containsExactly(1L);
        }
    }

    /** It carries out one after the other. */
    @Test
    void whoAnswersIsAtWork() {
        for (long file = 1; file <= 3; file++) {
            send(orders, ONE, 7, file, 0);
        }
        send(orders, TWO, 7, 4, 0);
        for (long file = 1; file <= 3; file++) {
            pass(orders, 100);
            orders.answered(ONE, RequestId.makeParity(7, file));
        }
        pass(orders, 1_000);

        assertThat(failed).as("the order of the other one").containsExactly(4L);
    }

    @Test
    void largeOrdersTakeLonger() {
        send(orders, ONE, 7, 1, 300 << 20);
        send(orders, ONE, 7, 2, 0);
        pass(orders, 420);
        assertThat(failed).isEmpty();
        pass(orders, 1);
        assertThat(failed).hasSize(2);
    }

    @Test
    void whoIsToReadSlowlyTakesLonger() {
        try (Orders slow = orders(1_000)) {
            send(slow, ONE, 7, 1, 300_000);
            pass(slow, 420);
            assertThat(failed).isEmpty();
            pass(slow, 1);
            assertThat(failed).hasSize(1);
        }
    }

    @Test
    void nobodyWaitsForWhoHasLeftOrForAShuffleThatIsOver() {
        send(orders, ONE, 7, 1, 0);
        send(orders, TWO, 7, 2, 0);
        send(orders, TWO, 8, 3, 0);
        orders.forget("1");
        orders.forget(7);
        pass(orders, 2 * 120 + 1);
        assertThat(failed).containsExactly(3L);
    }

    /** Who has sent it hears of that once. */
    @Test
    void anOrderThatIsNotReceivedIsNotWaitedFor() {
        orders.close();
        queue(orders, ONE, 7, 1, 0, () -> {});
        assertThat(failed).containsExactly(1L);
        pass(orders, 121);
        assertThat(failed).containsExactly(1L);
    }

    /** A host goes down, and who connects to it hears nothing for minutes: no sender is free. */
    @Test
    void anOrderThatWaitsForASenderIsNotOverdue() {
        CountDownLatch down = new CountDownLatch(1);
        CountDownLatch connecting = new CountDownLatch(4);
        CountDownLatch asked = new CountDownLatch(1);
        Queue<RequestId> sent = new ConcurrentLinkedQueue<>();
        Orders.Upload upload = (executor, order, bytes) -> {
            if (executor.equals(ONE)) {
                connecting.countDown();
                await(down);
            } else {
                sent.add(order);
                asked.countDown();
            }
            return CompletableFuture.completedFuture(null);
        };
        try (Orders blocked = orders(upload, 0)) {
            for (long file = 1; file <= 4; file++) {
                queue(blocked, ONE, 7, file, 0, () -> {});
            }
            await(connecting);
            queue(blocked, TWO, 8, 5, 0, () -> {});
            queue(blocked, TWO, 7, 6, 0, () -> {});
            pass(blocked, 1_000);
            assertThat(failed).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);

            blocked.forget(8);
            down.countDown();
            await(asked);
            pass(blocked, 120);
            assertThat(failed).hasSize(4);
            pass(blocked, 1);
            assertThat(failed).hasSize(5).contains(6L);
            assertThat(sent).as("what nobody wants is not sent").containsExactly(RequestId.makeParity(7, 6));
        }
    }

    /** The executor reads on, and tells nobody of the shuffle that is over. */
    @Test
    void whoIsAtWorkOnAShuffleThatIsOverIsNotSilent() {
        send(orders, ONE, 7, 1, 1L << 30);
        pass(orders, 295);
        send(orders, ONE, 8, 2, 0);
        orders.forget(7);
        pass(orders, 1_024 + 2 * 120 - 295);
        assertThat(failed).isEmpty();
        pass(orders, 1);
        assertThat(failed).containsExactly(2L);
    }

    /** As those of a stream: one ends each 10 s. */
    @Test
    void shufflesThatEndDoNotHideThatAnExecutorIsSilent() {
        send(orders, ONE, 7, 1, 0);
        for (int shuffle = 8; shuffle < 33; shuffle++) {
            send(orders, ONE, shuffle, 2, 0);
            pass(orders, 10);
            orders.forget(shuffle);
        }
        assertThat(failed).contains(1L);
    }

    @Test
    void nothingIsToldOfOrdersOfAShuffleThatIsOver() {
        try (Logged log = new Logged(Orders.class.getName())) {
            send(orders, ONE, 7, 1, 0);
            orders.forget(7);
            pass(orders, 100);
            send(orders, ONE, 8, 2, 0);
            orders.answered(ONE, RequestId.makeParity(8, 2));
            pass(orders, 1_000);
            assertThat(log.lines()).isEmpty();
        }
        assertThat(failed).isEmpty();
    }

    @Test
    void aFailureThatCannotBeToldKeepsNoOtherFromBeingTold() {
        for (BlockManagerId executor : List.of(ONE, TWO)) {
            CountDownLatch sent = new CountDownLatch(1);
            Supplier<byte[]> bytes = () -> {
                sent.countDown();
                return new byte[0];
            };
            orders.sendForAnswer(executor, RequestId.makeParity(7, 1), 0, bytes, failure -> {
                throw new IllegalStateException("there is no memory");
            });
            await(sent);
            send(orders, executor, 7, 2, 0);
        }
        try (Logged log = new Logged(Orders.class.getName())) {
            pass(orders, 121);
            assertThat(log.lines())
                    .filteredOn("WARN an order that is not answered cannot be given again"::equals)
                    .hasSize(2);
        }
        assertThat(failed).containsExactly(2L, 2L);
    }

    @Test
    void theFailureOfAnOrderIsNotThatOfTheNextOne() throws InterruptedException {
        BlockingQueue<CompletableFuture<Object>> receipts = new LinkedBlockingQueue<>();
        Orders.Upload upload = (executor, order, bytes) -> {
            CompletableFuture<Object> receipt = new CompletableFuture<>();
            receipts.add(receipt);
            return receipt;
        };
        try (Orders late = orders(upload, 0)) {
            send(late, ONE, 7, 1, 0);
            CompletableFuture<Object> first = receipts.poll(1, TimeUnit.MINUTES);
            pass(late, 121);
            send(late, ONE, 7, 1, 0);
            assertThat(receipts.poll(1, TimeUnit.MINUTES)).isNotNull();
            first.completeExceptionally(new IOException("timed out"));
            assertThat(failed).as("the first one").containsExactly(1L);
            pass(late, 121);
            assertThat(failed).as("the second one, too").containsExactly(1L, 1L);
        }
    }

    /** As that of a machine that was suspended: the answers are there, and are read after this. */
    @Test
    void theTimeInWhichTheDriverStandsStillDoesNotCount() {
        send(orders, ONE, 7, 1, 0);
        pass(orders, 100);
        now.addAndGet(TimeUnit.HOURS.toNanos(1));
        orders.giveUpSilent();
        assertThat(failed).isEmpty();
        pass(orders, 11);
        assertThat(failed).containsExactly(1L);
    }

    @Test
    void anOrderMayTakeCenturies() {
        try (Orders slow = orders(1)) {
            send(slow, ONE, 7, 1, Long.MAX_VALUE);
            pass(slow, 1_000);
            assertThat(failed).isEmpty();
        }
    }
}
