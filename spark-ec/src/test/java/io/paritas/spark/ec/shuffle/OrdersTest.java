/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.Logged;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors take all orders. */
class OrdersTest {
    private static final BlockManagerId ONE = Executors.executor(1);
    private static final BlockManagerId TWO = Executors.executor(2);

    private final AtomicLong now = new AtomicLong();
    private final Orders orders = orders(0);

    /** Files whose orders have failed. */
    private final Queue<Long> failed = new ConcurrentLinkedQueue<>();

    private Orders orders(long bytesPerSecond) {
        return new Orders(
                (executor, order, bytes) -> CompletableFuture.completedFuture(null),
                Duration.ofSeconds(120),
                bytesPerSecond,
                now::get);
    }

    @AfterEach
    void close() {
        orders.close();
    }

    private void send(Orders by, BlockManagerId executor, int shuffle, long file, long reads) {
        by.sendForAnswer(
                executor, RequestId.makeParity(shuffle, file), reads, () -> new byte[0], failure -> failed.add(file));
    }

    private void pass(Orders by, int seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        by.giveUpSilent();
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
        pass(orders, 121);
        assertThat(failed).containsExactly(3L);
    }

    /** Who has sent it hears of that once. */
    @Test
    void anOrderThatIsNotReceivedIsNotWaitedFor() {
        orders.close();
        send(orders, ONE, 7, 1, 0);
        assertThat(failed).containsExactly(1L);
        pass(orders, 121);
        assertThat(failed).containsExactly(1L);
    }
}
