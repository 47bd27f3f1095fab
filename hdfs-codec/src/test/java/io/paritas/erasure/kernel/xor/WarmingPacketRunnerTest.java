/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WarmingPacketRunnerTest {
    private static final PacketLayout LAYOUT = new PacketLayout(8, 10, 4, 0);

    /** Calls after which more than 16 MiB are computed. */
    private static final int CALLS = 300;

    private final AtomicInteger calls = new AtomicInteger();
    private final PacketRunner statements = (arrays, offsets, groups) -> calls.incrementAndGet();

    private void run(PacketRunner generated, Executor background) {
        WarmingPacketRunner runner = new WarmingPacketRunner(LAYOUT, statements, generated, background);
        for (int i = 0; i < CALLS; i++) {
            runner.run(new byte[0][], new int[0], PacketRunner.GROUPS);
        }
    }

    /** Spark's executors end with an error that a thread does not catch. */
    @Test
    void anErrorOfAWarmUpDoesNotLeaveIt() {
        AtomicInteger tried = new AtomicInteger();
        run(
                (arrays, offsets, groups) -> {
                    tried.incrementAndGet();
                    throw new OutOfMemoryError("thrown on purpose by this test");
                },
                Runnable::run);
        assertThat(tried).hasValue(1);
        assertThat(calls).as("and those of the warm-up").hasValueGreaterThan(CALLS);
    }

    @Test
    void whereNoThreadCanBeStartedThereIsNoWarmUp() {
        PacketRunner never = (arrays, offsets, groups) -> {
            throw new AssertionError("not even tried");
        };
        run(never, work -> {
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        run(never, work -> {
            throw new RejectedExecutionException("thrown on purpose by this test");
        });
        assertThat(calls).hasValue(2 * CALLS);
    }

    /** Each attempt has the JVM warn on its output: they are a gibibyte apart. */
    @Test
    void aWarmUpForWhichThereIsNoThreadIsBegunLater() {
        AtomicInteger begun = new AtomicInteger();
        WarmingPacketRunner runner = new WarmingPacketRunner(LAYOUT, statements, statements, warmUp -> {
            begun.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        for (int i = 0; i < 3 * CALLS; i++) {
            runner.run(new byte[0][], new int[0], PacketRunner.GROUPS);
        }
        assertThat(begun).hasValue(1);
        for (int i = 0; i < 64 * CALLS; i++) {
            runner.run(new byte[0][], new int[0], PacketRunner.GROUPS);
        }
        assertThat(begun).hasValue(2);
    }
}
