/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs the faster of two kernels for one program, by size of calls. It measures the calls themselves, an accelerator's
 * copies included.
 *
 * <p>The CPU takes small calls. The first larger calls of a size class alternate; then the faster kernel serves. Now and then
 * a call goes to the other kernel, because the CPU's kernel may have warmed up or the accelerator may be busy. An accelerator
 * that fails, or has no memory left, is not used again for any program, and the CPU repeats that call.
 */
final class RacingKernel implements Kernel {
    /** Input bytes below which the copies to a GPU and back take longer than a CPU's computation. */
    private static final int SMALLEST = 1 << 20;

    /** The calls of each size that alternate at first. */
    private static final int FIRST_TURNS = 6;

    /** One of this many later calls goes to the slower kernel. */
    private static final int RECONSIDER = 64;

    private static final int SIZES = Integer.SIZE;

    /** Measurements of calls of one size class, a power of two. */
    private static final class Race {
        final AtomicInteger calls = new AtomicInteger();
        volatile double cpu = Double.POSITIVE_INFINITY;
        volatile double accelerator = Double.POSITIVE_INFINITY;
    }

    private final Kernel cpu;
    private final LazyKernel accelerator;
    private final LongSupplier clock;
    private final Race[] races = new Race[SIZES];
    private final AtomicBoolean failed;

    /** @param failed whether the accelerator has failed, which it shares with its other programs */
    RacingKernel(Kernel cpu, Supplier<Kernel> accelerator, AtomicBoolean failed) {
        this(cpu, accelerator, failed, System::nanoTime);
    }

    /** @param clock source of nanoseconds, for tests */
    RacingKernel(Kernel cpu, Supplier<Kernel> accelerator, AtomicBoolean failed, LongSupplier clock) {
        this.cpu = cpu;
        this.accelerator = new LazyKernel(accelerator);
        this.failed = failed;
        this.clock = clock;
        for (int i = 0; i < SIZES; i++) {
            races[i] = new Race();
        }
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        long bytes = (long) inputs.count() * inputs.length();
        if (failed.get() || bytes < SMALLEST) {
            cpu.apply(inputs, outputs);
            return;
        }
        Race race = races[Math.min(SIZES - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes))];
        boolean accelerate = isAcceleratorsTurn(race);
        long start = clock.getAsLong();
        if (accelerate) {
            accelerate(inputs, outputs);
        } else {
            cpu.apply(inputs, outputs);
        }
        double time = (double) (clock.getAsLong() - start) / bytes;
        if (accelerate) {
            race.accelerator = recent(race.accelerator, time);
        } else {
            race.cpu = recent(race.cpu, time);
        }
    }

    private static boolean isAcceleratorsTurn(Race race) {
        int call = race.calls.getAndIncrement() & Integer.MAX_VALUE;
        if (call < FIRST_TURNS) {
            return call % 2 == 1;
        }
        boolean isFaster = race.accelerator < race.cpu;
        return isFaster != (call % RECONSIDER == 0);
    }

    /** Keeps the best recent time; older ones decay. */
    private static double recent(double before, double now) {
        return now < before ? now : before + (now - before) / 4;
    }

    private void accelerate(Regions inputs, Regions outputs) {
        outputs.checkWritable(); // which is the caller's failure
        try {
            accelerator.apply(inputs, outputs);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            failed.set(true);
            System.getLogger(RacingKernel.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the accelerator failed and is not used again, the CPU goes on",
                            e);
            cpu.apply(inputs, outputs);
        }
    }
}
