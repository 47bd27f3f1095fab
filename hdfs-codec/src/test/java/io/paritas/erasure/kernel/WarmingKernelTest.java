/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WarmingKernelTest {
    private static final Program PROGRAM = Program.product(new int[][] {{3, 5}, {1, 200}});

    private final byte[][] inputs = new byte[2][1000];
    private final byte[][] outputs = new byte[2][1000];
    private final Kernel plain = new PlainKernel(PROGRAM, Check.FOLD);
    private final Kernel nothing = (in, out) -> {};

    private static Kernel slow(Kernel kernel) {
        return (in, out) -> {
            kernel.apply(in, out);
            spin(2);
        };
    }

    /** A kernel whose thread has to wait for a processor in every second call. */
    private static Kernel interrupted(Kernel kernel) {
        AtomicInteger calls = new AtomicInteger();
        return (in, out) -> {
            kernel.apply(in, out);
            if (calls.incrementAndGet() % 2 == 0) {
                spin(10);
            }
        };
    }

    private static void spin(int millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aRightAndFasterKernelWins() {
        assertThat(new Trial(PROGRAM, Trial.Memory.HEAP, slow(plain), plain).run())
                .isEqualTo(Trial.Verdict.FASTER);
    }

    @Test
    void aSlowerKernelLosesWhenPatienceEnds() {
        assertThat(new Trial(PROGRAM, Trial.Memory.HEAP, plain, slow(plain), TimeUnit.MILLISECONDS.toNanos(50)).run())
                .isEqualTo(Trial.Verdict.SLOWER);
    }

    @Test
    void waitingForAProcessorDoesNotCount() {
        assertThat(new Trial(
                                PROGRAM,
                                Trial.Memory.HEAP,
                                interrupted(plain),
                                slow(plain),
                                TimeUnit.MILLISECONDS.toNanos(50))
                        .run())
                .isEqualTo(Trial.Verdict.SLOWER);
    }

    @Test
    void aWrongKernelLosesHoweverFast() {
        assertThat(new Trial(PROGRAM, Trial.Memory.HEAP, slow(plain), nothing).run())
                .isEqualTo(Trial.Verdict.WRONG);
    }

    /** The candidate counts its calls; the one that the caller makes after the exchange is the proof of it. */
    @Test
    @Timeout(60)
    void exchangesTheKernelOnceTheTrialIsWon() throws InterruptedException {
        AtomicInteger made = new AtomicInteger();
        CountDownLatch served = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        WarmingKernel kernel = new WarmingKernel(
                PROGRAM,
                Trial.Memory.HEAP,
                slow(plain),
                () -> {
                    made.incrementAndGet();
                    return (in, out) -> {
                        plain.apply(in, out);
                        if (Thread.currentThread() == caller) {
                            served.countDown();
                        }
                    };
                },
                3000);
        Arrays.stream(inputs).forEach(new Random(1)::nextBytes);
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
        assertThat(made).as("nothing is tried before the warm-up is over").hasValue(0);
        while (!served.await(1, TimeUnit.MILLISECONDS)) {
            kernel.apply(Regions.of(inputs), Regions.of(outputs));
            assertThat(outputs[0][17])
                    .isEqualTo((byte) PROGRAM.interpret(inputs[0][17] & 0xff, inputs[1][17] & 0xff)[0]);
        }
        assertThat(made).as("the trial runs once").hasValue(1);
    }

    @Test
    @Timeout(60)
    void aKernelThatCannotBeMadeChangesNothing() throws InterruptedException {
        CountDownLatch tried = new CountDownLatch(1);
        WarmingKernel kernel = new WarmingKernel(
                PROGRAM,
                Trial.Memory.HEAP,
                plain,
                () -> {
                    tried.countDown();
                    throw new IllegalStateException("thrown on purpose by this test");
                },
                1);
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
        assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
    }

    private void computes(Supplier<Kernel> faster, Executor background) {
        WarmingKernel kernel = new WarmingKernel(PROGRAM, Trial.Memory.HEAP, plain, faster, 1, background);
        Arrays.stream(inputs).forEach(new Random(1)::nextBytes);
        for (int i = 0; i < 2; i++) {
            outputs[0][17] = 0;
            kernel.apply(Regions.of(inputs), Regions.of(outputs));
            assertThat(outputs[0][17])
                    .isEqualTo((byte) PROGRAM.interpret(inputs[0][17] & 0xff, inputs[1][17] & 0xff)[0]);
        }
    }

    /** Spark's executors end with an error that a thread does not catch. */
    @Test
    void anErrorOfATrialDoesNotLeaveIt() {
        Executor here = Runnable::run;
        computes(
                () -> {
                    throw new OutOfMemoryError("thrown on purpose by this test");
                },
                here);
        computes(
                () -> (in, out) -> {
                    throw new StackOverflowError("thrown on purpose by this test");
                },
                here);
    }

    @Test
    void whereNoThreadCanBeStartedThereIsNoTrial() {
        Supplier<Kernel> never = () -> {
            throw new AssertionError("not even made");
        };
        computes(never, trial -> {
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        computes(never, trial -> {
            throw new RejectedExecutionException("thrown on purpose by this test");
        });
    }

    /** Each attempt has the JVM warn on its output: they are a gibibyte apart. */
    @Test
    void aTrialForWhichThereIsNoThreadIsBegunLater() {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        Kernel idle = (from, to) -> {};
        Kernel kernel = new WarmingKernel(
                PROGRAM,
                Trial.Memory.HEAP,
                idle,
                () -> {
                    made.incrementAndGet();
                    return idle;
                },
                1,
                trial -> {
                    if (begun.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
                    }
                    trial.run();
                });
        byte[][] mebibytes = new byte[2][1 << 20];
        for (int i = 0; i < 512; i++) {
            kernel.apply(Regions.of(mebibytes), Regions.of(outputs));
        }
        assertThat(begun).hasValue(1);
        assertThat(made).hasValue(0);
        kernel.apply(Regions.of(mebibytes), Regions.of(outputs));
        assertThat(begun).hasValue(2);
        assertThat(made).hasValue(1);
    }

    /** Many wait where the pattern of losses changes with each stripe. */
    @Test
    void aKernelThatIsLetGoIsNotTried() throws InterruptedException {
        List<Runnable> waiting = new ArrayList<>();
        AtomicInteger made = new AtomicInteger();
        Supplier<Kernel> faster = () -> {
            made.incrementAndGet();
            return plain;
        };
        WeakReference<Kernel> letGo = new WeakReference<>(applied(faster, waiting::add));
        for (int i = 0; i < 100 && letGo.get() != null; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(20);
        }
        waiting.forEach(Runnable::run);
        assertThat(waiting).hasSize(1);
        assertThat(made).hasValue(0);

        Kernel kept = applied(faster, waiting::add);
        waiting.forEach(Runnable::run);
        assertThat(made).hasValue(1);
        Reference.reachabilityFence(kept);
    }

    @Test
    void aKernelThatWasRejectedIsTriedLater() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        Kernel kernel = applied(
                () -> {
                    made.incrementAndGet();
                    return plain;
                },
                trial -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new RejectedExecutionException("thrown on purpose by this test");
                    }
                    trial.run();
                });
        assertThat(made).hasValue(0);
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
        assertThat(made).hasValue(1);
    }

    private Kernel applied(Supplier<Kernel> faster, Executor background) {
        Kernel kernel = new WarmingKernel(PROGRAM, Trial.Memory.HEAP, plain, faster, 1, background);
        kernel.apply(Regions.of(inputs), Regions.of(outputs));
        return kernel;
    }

    @Test
    void fewTrialsWait() {
        Executor trials = BackgroundThread.named("paritas-test-trials");
        CountDownLatch end = new CountDownLatch(1);
        Runnable waits = () -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        try {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            trials.execute(waits);
                        }
                    })
                    .isInstanceOf(RejectedExecutionException.class);
        } finally {
            end.countDown();
        }
    }
}
