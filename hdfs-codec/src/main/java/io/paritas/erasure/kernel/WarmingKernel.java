/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.lang.ref.WeakReference;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Serves with a first kernel until a faster one is ready. Generated vector code is a hundred times slower than plain Java until C2 has
 * compiled it, so plain Java serves first. Where machine code is to come, vectors or plain Java do.
 *
 * <p>After some mebibytes a {@link Trial} runs in the JVM's one background thread for trials. If the other kernel computes the
 * same bytes in less time, again and again, it replaces the first one; a call costs one volatile read and no lock. A kernel that is wrong or
 * not faster is never used, and neither is one whose trial fails, for want of memory for example. Short-lived programs end
 * before the trial begins, and pay nothing.
 */
final class WarmingKernel implements Kernel {
    /** Until a trial is begun again for which there was no thread: each attempt has the JVM warn on its output. */
    private static final long BYTES_BEFORE_ANOTHER_THREAD = 1L << 30;

    private static final Executor BACKGROUND = BackgroundThread.named("paritas-kernel-trial");
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    /** Whether this JVM has said that the system has no thread for a trial. */
    private static final AtomicBoolean THREADLESS = new AtomicBoolean();
    /** Whether this JVM has said that a kernel is not faster: once is enough. */
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private final Program program;
    private final Trial.Memory memory;
    private final Kernel first;
    private final Supplier<Kernel> faster;
    private final long beforeTrial;
    private final AtomicLong bytesBeforeTrial;
    private final Executor background;
    private volatile Kernel current;

    /**
     * @param memory kind of memory that this kernel serves and the trial uses
     * @param first kernel that serves until the trial is won
     * @param faster makes the kernel that is tried
     */
    WarmingKernel(Program program, Trial.Memory memory, Kernel first, Supplier<Kernel> faster, long bytesBeforeTrial) {
        this(program, memory, first, faster, bytesBeforeTrial, BACKGROUND);
    }

    /** @param background runs the trial, for tests */
    WarmingKernel(
            Program program,
            Trial.Memory memory,
            Kernel first,
            Supplier<Kernel> faster,
            long bytesBeforeTrial,
            Executor background) {
        this.program = program;
        this.memory = memory;
        this.first = first;
        this.faster = faster;
        this.beforeTrial = bytesBeforeTrial;
        this.bytesBeforeTrial = new AtomicLong(bytesBeforeTrial);
        this.background = background;
        this.current = first;
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        Kernel kernel = current;
        kernel.apply(inputs, outputs);
        if (kernel == first && isTimeForTrial((long) inputs.count() * inputs.length())) {
            beginTrial();
        }
    }

    /** True exactly once, and once more whenever the bytes are set again. */
    private boolean isTimeForTrial(long bytes) {
        if (bytesBeforeTrial.get() <= 0) {
            return false;
        }
        long before = bytesBeforeTrial.getAndAdd(-bytes);
        return before > 0 && before <= bytes;
    }

    /**
     * The caller has its bytes: it does not fail where the system has no thread left. A kernel that nobody has any more when its turn
     * comes is not tried, nor kept until then.
     */
    private void beginTrial() {
        WeakReference<WarmingKernel> wanted = new WeakReference<>(this);
        try {
            background.execute(() -> tryFaster(wanted));
        } catch (RejectedExecutionException e) { // many are waiting
            bytesBeforeTrial.set(beforeTrial);
        } catch (OutOfMemoryError e) {
            bytesBeforeTrial.set(Math.max(beforeTrial, BYTES_BEFORE_ANOTHER_THREAD));
            log().log(levelOf(THREADLESS), "a kernel cannot be tried yet, the other one goes on", e);
        }
    }

    private static void tryFaster(WeakReference<WarmingKernel> wanted) {
        WarmingKernel kernel = wanted.get();
        if (kernel != null) {
            kernel.tryFaster();
        }
    }

    /** An error ends here, too: Spark ends an executor in which a thread does not catch one. */
    private void tryFaster() {
        System.Logger log = log();
        try {
            Kernel candidate = faster.get();
            Trial.Verdict verdict = new Trial(program, memory, first, candidate).run();
            if (verdict == Trial.Verdict.FASTER) {
                current = candidate;
            } else if (verdict == Trial.Verdict.WRONG) {
                log.log(System.Logger.Level.ERROR, "a kernel computes wrong bytes here and is not used: {0}", program);
            }
            if (verdict == Trial.Verdict.SLOWER && !TOLD.getAndSet(true)) {
                log.log(
                        System.Logger.Level.INFO,
                        "a kernel for {0} inputs and {1} outputs is not faster here than the one that serves, which goes on",
                        program.inputs(),
                        program.outputs());
            }
            log.log(System.Logger.Level.DEBUG, "trial of a kernel for {0}: {1}", program, verdict);
        } catch (RuntimeException | Error e) {
            // The reason is the same for each matrix, such as a system that has no executable memory for us.
            log.log(levelOf(WARNED), "a kernel cannot be made, the other one goes on", e);
        }
    }

    /** Once is enough. */
    private static System.Logger.Level levelOf(AtomicBoolean warned) {
        return warned.getAndSet(true) ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
    }

    private static System.Logger log() {
        return System.getLogger(WarmingKernel.class.getName());
    }
}
