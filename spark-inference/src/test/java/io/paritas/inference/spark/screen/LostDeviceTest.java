/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.DeviceLostException;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.spark.TestLine;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LostDeviceTest {
    private static final DeviceLostException LOSS = new DeviceLostException("the GPU fell off the bus", null);

    private final Line line = new Line();
    private final LostDevice device = new LostDevice(line);

    /** A line to a driver that answers when it is told to. Who asks waits as Spark does, and hears of interrupts. */
    private static class Line extends TestLine {
        private final Queue<String[]> asked = new ConcurrentLinkedQueue<>();
        private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

        Line() {
            super("7");
        }

        @Override
        public Object ask(Object message) throws Exception {
            asked.add((String[]) message);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return answer.get();
        }

        @Override
        public void send(Object message) {
            throw new UnsupportedOperationException("the driver is asked");
        }
    }

    @BeforeAll
    static void anExecutor() {
        LocalSpark.session();
    }

    /** As of a task that is killed. */
    private static void interrupted(LostDevice device) {
        Thread.currentThread().interrupt();
        try {
            device.accept(LOSS);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void laterFailuresWaitForTheEndThoughTheFirstOneWasInterrupted() throws InterruptedException {
        interrupted(device);
        line.answer.complete(true);

        waits(device);
        assertThat(line.asked)
                .extracting(LostDevice.Message::decode)
                .isEqualTo(List.of(new LostDevice.Message("7", "localhost", "the GPU fell off the bus")));
    }

    private static void waits(LostDevice device) throws InterruptedException {
        Thread later = new Thread(() -> device.accept(LOSS));
        later.start();
        while (later.isAlive() && later.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        assertThat(later.getState()).isEqualTo(Thread.State.TIMED_WAITING);
        later.interrupt();
        later.join();
    }

    /** As where the system has none left. */
    private LostDevice withoutThreads() {
        return new LostDevice(line, task -> new Thread(task) {
            @Override
            public void start() {
                throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
            }
        });
    }

    @Test
    void whoGetsNoThreadAndIsInterruptedTellsTheDriverItself() throws InterruptedException {
        LostDevice alone = withoutThreads();
        line.answer.complete(true);

        interrupted(alone);

        waits(alone);
        assertThat(line.asked).hasSize(1);
    }

    @Test
    void whoGetsNoThreadTellsTheDriverItself() {
        LostDevice alone = withoutThreads();
        line.answer.complete(false);

        alone.accept(LOSS);
        alone.accept(LOSS);

        assertThat(line.asked).hasSize(1);
    }

    @Test
    void laterFailuresGoOnIfTheDriverDoesNotEndTheExecutor() {
        line.answer.complete(false);

        device.accept(LOSS);
        device.accept(LOSS);

        assertThat(line.asked).hasSize(1);
    }

    /** As where the heap is full. */
    @Test
    void laterFailuresGoOnThoughAnErrorKeepsTheDriverFromBeingTold() {
        LostDevice full = new LostDevice(new Line() {
            @Override
            public Object ask(Object message) {
                throw new OutOfMemoryError("Java heap space: thrown on purpose by this test");
            }
        });

        full.accept(LOSS);
        full.accept(LOSS);
    }

    @Test
    void laterFailuresGoOnIfTheDriverCannotBeTold() {
        line.answer.completeExceptionally(new IllegalStateException("thrown on purpose by this test"));

        device.accept(LOSS);
        device.accept(LOSS);

        assertThat(line.asked).hasSize(1);
    }
}
