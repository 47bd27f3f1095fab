/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.BackgroundThread;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a program by statements, whose code is compiled once for all programs, until its own generated code is compiled:
 * until then that is a hundred times slower. A background thread runs the generated code on random packets. If it is right
 * and faster there, it replaces the statements; otherwise it is never used. It is not either where the warm-up fails, for want of
 * memory for example.
 */
final class WarmingPacketRunner implements PacketRunner {
    /** Bounds a warm-up; C2 took 3 seconds for the encoder of RS(10,4) on a loaded machine. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(5);

    /** The bytes computed by statements first: rarely used code is not worth a compilation. */
    private static final long BYTES_BEFORE = 16 << 20;

    /** Until a warm-up is begun again for which there was no thread: each attempt has the JVM warn on its output. */
    private static final long BYTES_BEFORE_ANOTHER_THREAD = 1L << 30;

    private static final Executor BACKGROUND = BackgroundThread.named("paritas-strip-warm-up");

    /** Whether this JVM has said that the system has no thread for a warm-up: once is enough. */
    private static final AtomicBoolean THREADLESS = new AtomicBoolean();

    private final PacketLayout layout;
    private final PacketRunner statements;
    private final PacketRunner generated;
    private final Executor background;
    private final AtomicLong bytesLeft = new AtomicLong(BYTES_BEFORE);
    private volatile PacketRunner current;

    WarmingPacketRunner(PacketLayout layout, PacketRunner statements, PacketRunner generated) {
        this(layout, statements, generated, BACKGROUND);
    }

    /** @param background warms up, for tests */
    WarmingPacketRunner(PacketLayout layout, PacketRunner statements, PacketRunner generated, Executor background) {
        this.layout = layout;
        this.statements = statements;
        this.generated = generated;
        this.background = background;
        this.current = statements;
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int groups) {
        PacketRunner runner = current;
        runner.run(arrays, offsets, groups);
        if (runner == statements) {
            long bytes = (long) groups * layout.groupBytes() * layout.inputs();
            long before = bytesLeft.getAndAdd(-bytes);
            if (before > 0 && before <= bytes) {
                beginWarmUp();
            }
        }
    }

    /** The caller has its bytes: it does not fail where the system has no thread left. */
    private void beginWarmUp() {
        try {
            background.execute(this::tryWarmUp);
        } catch (RejectedExecutionException e) { // many are waiting
            bytesLeft.set(BYTES_BEFORE);
        } catch (OutOfMemoryError e) {
            bytesLeft.set(BYTES_BEFORE_ANOTHER_THREAD);
            System.Logger.Level level =
                    THREADLESS.getAndSet(true) ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
            log().log(level, "generated code cannot be tried yet, statements go on", e);
        }
    }

    /** An error ends here, too: Spark ends an executor in which a thread does not catch one. */
    private void tryWarmUp() {
        try {
            warmUp();
        } catch (RuntimeException | Error e) {
            log().log(System.Logger.Level.WARNING, "generated code cannot be run, statements go on", e);
        }
    }

    private void warmUp() {
        byte[][] expected = units();
        byte[][] actual = units();
        long start = System.nanoTime();
        long statementsTime = bestNanos(statements, expected);
        while (System.nanoTime() - start < LONGEST) {
            long time = bestNanos(generated, actual);
            if (!Arrays.deepEquals(Arrays.copyOf(actual, layout.units()), Arrays.copyOf(expected, layout.units()))) {
                return;
            }
            if (time < statementsTime) {
                current = generated;
                return;
            }
            statementsTime = Math.min(statementsTime, bestNanos(statements, expected));
        }
    }

    private static System.Logger log() {
        return System.getLogger(WarmingPacketRunner.class.getName());
    }

    /** Random inputs; outputs and scratch memory of zeros. */
    private byte[][] units() {
        byte[][] units = new byte[layout.units() + 1][GROUPS * layout.groupBytes()];
        units[layout.units()] = new byte[GROUPS * layout.scratchBytes()];
        Random random = new Random(layout.inputs());
        Arrays.stream(units, 0, layout.inputs()).forEach(random::nextBytes);
        return units;
    }

    private static long bestNanos(PacketRunner runner, byte[][] units) {
        int[] offsets = new int[units.length];
        long start = System.nanoTime();
        long before = start;
        long best = Long.MAX_VALUE;
        do {
            runner.run(units, offsets, GROUPS);
            long now = System.nanoTime();
            best = Math.min(best, now - before);
            before = now;
        } while (before - start < ROUND);
        return best;
    }
}
