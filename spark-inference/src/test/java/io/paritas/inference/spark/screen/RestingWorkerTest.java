/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestingWorkerTest {
    private static final int PLACES = 8;

    private final RestingWorker worker = new RestingWorker("resting", PLACES);
    private final List<Integer> done = new CopyOnWriteArrayList<>();
    private final Semaphore each = new Semaphore(0);

    @AfterEach
    void close() {
        worker.close();
    }

    private boolean offer(int piece) {
        return worker.offer(() -> {
            done.add(piece);
            each.release();
        });
    }

    @Test
    void doesAllInOrderHoweverItComes() throws InterruptedException {
        for (int piece = 0; piece < 5; piece++) {
            assertThat(offer(piece)).isTrue();
            each.acquire();
        }
        assertThat(done).isEqualTo(IntStream.range(0, 5).boxed().toList());
    }

    @Test
    void whatWaitsIsDoneTogether() throws InterruptedException {
        offer(0);
        each.acquire();
        for (int piece = 1; piece < PLACES; piece++) {
            assertThat(offer(piece)).isTrue();
        }
        each.acquire(PLACES - 1);
        assertThat(done).isEqualTo(IntStream.range(0, PLACES).boxed().toList());
    }

    @Test
    void dropsWhatHasNoPlaceAndGoesOn() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        worker.offer(() -> {
            started.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        started.await();
        for (int piece = 0; piece < PLACES; piece++) {
            assertThat(offer(piece)).isTrue();
        }
        assertThat(offer(PLACES)).isFalse();
        end.countDown();
        each.acquire(PLACES);
        assertThat(offer(-1)).isTrue();
        each.acquire();
        assertThat(done).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, -1);
    }

    @Test
    void workThatFailsDoesNotEndTheThread() throws InterruptedException {
        worker.offer(() -> {
            throw new IllegalStateException("no such instance");
        });
        worker.offer(() -> {
            throw new OutOfMemoryError("thrown on purpose by this test");
        });
        worker.offer(() -> RestingWorkerTest.<RuntimeException>raise(new InterruptedException("of Spark's")));
        assertThat(offer(1)).isTrue();
        each.acquire();
        assertThat(done).containsExactly(1);
    }

    /** Spark does not declare what it throws. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void raise(Exception failure) throws E {
        throw (E) failure;
    }
}
