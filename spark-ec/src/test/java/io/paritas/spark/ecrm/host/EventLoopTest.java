/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.Logged;
import io.paritas.spark.ec.Undeclared;
import io.paritas.spark.ecrm.protocol.Timing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventLoopTest {
    /** Handles nothing, and notes its end. */
    private record Idle(CountDownLatch ended) implements Passive {
        @Override
        public void closed() {
            ended.countDown();
        }
    }

    /** As a client that has no memory for the rows that it pulls. */
    @Test
    @Timeout(120)
    void anErrorEndsAllThatIsAsked() throws InterruptedException {
        LocalSpark.session();
        Idle idle = new Idle(new CountDownLatch(1));
        try (EventLoop loop = new EventLoop("paritas-worker-3", Timing.DEFAULT, own -> idle)) {
            CompletableFuture<Integer> before = loop.ask(answer -> {});
            CompletableFuture<Integer> failing = loop.ask(answer -> {
                throw new OutOfMemoryError("Java heap space");
            });
            idle.ended().await();
            CompletableFuture<Integer> after = loop.ask(answer -> answer.complete(1));
            String why = "paritas-worker-3 has ended: java.lang.OutOfMemoryError: Java heap space";
            assertThatThrownBy(failing::get).hasMessageContaining(why);
            assertThatThrownBy(before::get).hasMessageContaining(why);
            assertThatThrownBy(after::get).hasMessageContaining(why);
            assertThatThrownBy(loop::requireNoFailure)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(why);
        }
    }

    /** As the question who the executors are, when nobody answers. Spark does not declare what it throws. */
    private static void failToAsk() {
        Undeclared.raise(new TimeoutException("no answer in 120 seconds"));
    }

    /** Fails at each tick. */
    private record Failing(CountDownLatch ticks) implements Passive {
        @Override
        public void tick(long now) {
            ticks.countDown();
            failToAsk();
        }

        @Override
        public void closed() {}
    }

    @Test
    @Timeout(120)
    void aCheckedExceptionEndsNoThread() throws Exception {
        LocalSpark.session();
        Failing failing = new Failing(new CountDownLatch(3));
        try (Logged log = new Logged(EventLoop.class.getName());
                EventLoop loop = new EventLoop("paritas-supervisor", Timing.DEFAULT, own -> failing)) {
            failing.ticks().await();
            assertThat(loop.<Integer>ask(answer -> answer.complete(1)).get()).isEqualTo(1);
            loop.requireNoFailure();
            assertThat(log.lines()).contains("ERROR failed to handle an event: it is dropped");
        }
    }

    @Test
    @Timeout(120)
    void aCheckedExceptionIsAnAnswer() throws InterruptedException {
        LocalSpark.session();
        Idle idle = new Idle(new CountDownLatch(1));
        try (EventLoop loop = new EventLoop("paritas-worker-5", Timing.DEFAULT, own -> idle)) {
            CompletableFuture<Integer> failing = loop.ask(answer -> failToAsk());
            assertThatThrownBy(failing::get)
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageEndingWith("no answer in 120 seconds");
        }
    }

    /** As one that asks who the executors are. */
    @Test
    @Timeout(120)
    void aQuestionThatWaitsWhenTheLoopIsClosedIsRefused() throws InterruptedException {
        LocalSpark.session();
        Idle idle = new Idle(new CountDownLatch(1));
        CountDownLatch waits = new CountDownLatch(1);
        CompletableFuture<Integer> answer;
        try (EventLoop loop = new EventLoop("paritas-worker-6", Timing.DEFAULT, own -> idle)) {
            answer = loop.ask(open -> {
                waits.countDown();
                waitForEver();
            });
            waits.await();
        }
        assertThatThrownBy(answer::get)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith(
                        "paritas-worker-6 must not be closed before it has answered: close it after the last"
                                + " call");
    }

    /** As one that cannot tell others that it goes, because its connections are closed. */
    private record Refusing() implements Passive {
        @Override
        public void closed() {
            throw new IllegalStateException("thrown on purpose by this test");
        }
    }

    @Test
    @Timeout(120)
    void aQuestionIsRefusedThoughTheHandlerFailsToEnd() throws InterruptedException {
        LocalSpark.session();
        CompletableFuture<Integer> answer;
        try (EventLoop loop = new EventLoop("paritas-worker-7", Timing.DEFAULT, own -> new Refusing())) {
            answer = loop.ask(open -> {});
        }
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::get)
                .hasMessageContaining("paritas-worker-7 must not be closed before it has answered");
    }

    private static void waitForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Undeclared.raise(e);
        }
    }

    /** As when a training is interrupted: the thread would start servers that nobody cancels any more. */
    @Test
    @Timeout(120)
    void whoIsInterruptedWaitsForTheEndToo() throws InterruptedException {
        LocalSpark.session();
        Idle idle = new Idle(new CountDownLatch(1));
        EventLoop loop = new EventLoop("paritas-worker-4", Timing.DEFAULT, own -> idle);
        CountDownLatch busy = new CountDownLatch(1);
        AtomicBoolean released = new AtomicBoolean();
        loop.execute(() -> {
            busy.countDown();
            while (!released.get()) {
                Thread.onSpinWait();
            }
        });
        busy.await();
        Thread here = Thread.currentThread();
        AtomicBoolean returned = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (here.getState() != Thread.State.WAITING && !returned.get()) {
                Thread.onSpinWait();
            }
            released.set(true);
        });
        other.start();
        here.interrupt();
        loop.close();
        long ended = idle.ended().getCount();
        returned.set(true);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).isZero();
        other.join();
    }
}
