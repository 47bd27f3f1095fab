/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.executor.Executor;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.junit.jupiter.api.Test;

class FetchesTest {
    private static final int EACH = 4;

    /** Blocks that cannot be fetched. */
    private static class Failures implements BlockFetchingListener {
        private final Queue<String> messages = new ConcurrentLinkedQueue<>();
        private volatile boolean fatal;

        @Override
        public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {}

        @Override
        public void onBlockFetchFailure(String id, Throwable failure) {
            messages.add(id + ": " + failure.getMessage());
            fatal |= Executor.isFatalError(failure, 5);
        }
    }

    private final Failures failures = new Failures();
    private final CountDownLatch connected = new CountDownLatch(1);
    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicInteger mostThreads = new AtomicInteger();

    private void begin(int host, Runnable fetch) {
        Fetches.SHARED.begin(new Fetches.Address("host" + host, 7000), new String[] {"block" + host}, failures, () -> {
            mostThreads.accumulateAndGet(threads.incrementAndGet(), Math::max);
            try {
                connected.await();
                fetch.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                threads.decrementAndGet();
            }
        });
    }

    /** A container may have a limit, and Spark ends an executor that cannot start a thread. */
    @Test
    void manyFetchesTakeSomeThreads() throws InterruptedException {
        int hosts = 2 * Fetches.MOST_THREADS;
        CountDownLatch begun = new CountDownLatch(EACH * hosts);
        for (int i = 0; i < EACH; i++) {
            IntStream.range(0, hosts).forEach(host -> begin(host, begun::countDown));
        }

        connected.countDown();

        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(mostThreads).hasValueLessThanOrEqualTo(Fetches.MOST_THREADS);
    }

    @Test
    void thoseOfAnAddressBeginOneAfterTheOther() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(3 * EACH);
        Map<Integer, Queue<Integer>> order = new ConcurrentHashMap<>();
        for (int i = 0; i < EACH; i++) {
            int number = i;
            for (int host = 0; host < 3; host++) {
                int at = host;
                begin(host, () -> {
                    order.computeIfAbsent(at, none -> new ConcurrentLinkedQueue<>())
                            .add(number);
                    begun.countDown();
                });
            }
        }

        connected.countDown();

        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(order).hasSize(3).allSatisfy((host, numbers) -> assertThat(numbers)
                .containsExactly(0, 1, 2, 3));
        assertThat(mostThreads).hasValueLessThanOrEqualTo(3);
    }

    @Test
    void oneThatFailsKeepsNoOthersWaiting() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        begin(1, () -> {
            throw new IllegalStateException("it cannot connect");
        });
        begin(1, begun::countDown);

        connected.countDown();

        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(failures.messages).containsExactly("block1: it cannot connect");
    }

    /** As where a container has no thread left, for a while. */
    @Test
    void oneThatGetsNoThreadHasFailed() {
        AtomicInteger turns = new AtomicInteger();
        Fetches fetches = new Fetches(task -> {
            if (turns.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        });
        Fetches.Address address = new Fetches.Address("host", 7000);
        AtomicInteger begun = new AtomicInteger();

        for (int i = 0; i < 2; i++) {
            fetches.begin(address, new String[] {"block" + i}, failures, begun::incrementAndGet);
        }

        assertThat(failures.messages).containsExactly("block0: unable to create native thread");
        assertThat(failures.fatal).as("Spark would end the executor").isFalse();
        assertThat(begun).hasValue(1);
    }

    @Test
    void aListenerThatFailsKeepsNoOthersWaiting() {
        Fetches fetches = new Fetches(Runnable::run);
        Fetches.Address address = new Fetches.Address("host", 7000);
        Failures failing = new Failures() {
            @Override
            public void onBlockFetchFailure(String id, Throwable failure) {
                super.onBlockFetchFailure(id, failure);
                throw new IllegalStateException("it is closed");
            }
        };
        Runnable fetch = () -> {
            throw new IllegalStateException("it cannot connect");
        };

        fetches.begin(address, new String[] {"block0", "block1"}, failing, fetch);
        fetches.begin(address, new String[] {"block2"}, failures, fetch);

        assertThat(failing.messages).containsExactly("block0: it cannot connect", "block1: it cannot connect");
        assertThat(failures.messages).containsExactly("block2: it cannot connect");
    }
}
