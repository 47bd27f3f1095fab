/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Two kernels for one program, of which the faster one runs: measured on the calls themselves, with all that a call costs
 * (an accelerator's copies too), and for each size of calls.
 *
 * <p>Small calls are the CPU's. Of larger ones, the first few of a size class take turns; then the faster kernel serves, and
 * now and then a call goes to the other one, in case that things have changed: the CPU's kernel has warmed up, or the
 * accelerator has got busy. An accelerator that fails is not used again, and the CPU computes that call once more.
 */
final class RacingKernel implements Kernel {
    /** Bytes that are read: what a copy to a GPU and back takes, a CPU has coded in the meantime. */
    private static final int SMALLEST = 1 << 20;

    /** Each of the first so many calls of a size goes to the other kernel than the one before. */
    private static final int FIRST_TURNS = 6;

    /** One of so many later calls goes to the slower kernel. */
    private static final int RECONSIDER = 64;

    private static final int SIZES = Integer.SIZE;

    /** What is known of calls of a size class, a power of two. */
    private static final class Race {
        final AtomicInteger calls = new AtomicInteger();
        volatile double cpu = Double.POSITIVE_INFINITY;
        volatile double accelerator = Double.POSITIVE_INFINITY;
    }

    private final Kernel cpu;
    private final LazyKernel accelerator;
    private final LongSupplier clock;
    private final Race[] races = new Race[SIZES];
    private volatile boolean failed;

    RacingKernel(Kernel cpu, Supplier<Kernel> accelerator) {
        this(cpu, accelerator, System::nanoTime);
    }

    /** @param clock nanoseconds, for tests */
    RacingKernel(Kernel cpu, Supplier<Kernel> accelerator, LongSupplier clock) {
        this.cpu = cpu;
        this.accelerator = new LazyKernel(accelerator);
        this.clock = clock;
        for (int i = 0; i < SIZES; i++) {
            races[i] = new Race();
        }
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        long bytes = (long) inputs.count() * inputs.length();
        if (failed || bytes < SMALLEST) {
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

    /** The better of the last times counts; an old one is slowly forgotten. */
    private static double recent(double before, double now) {
        return now < before ? now : before + (now - before) / 4;
    }

    private void accelerate(Regions inputs, Regions outputs) {
        try {
            accelerator.apply(inputs, outputs);
        } catch (RuntimeException | LinkageError e) {
            failed = true;
            System.getLogger(RacingKernel.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "The accelerator failed and is not used again; the CPU goes on",
                            e);
            cpu.apply(inputs, outputs);
        }
    }
}
