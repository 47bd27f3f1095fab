/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Machine code that Java writes itself, for x86-64 with AVX2 and better and for AArch64, most of all for processors that multiply in
 * GF(2<sup>8</sup>) by an instruction. Another kernel serves until the code has been tried, and programs that are too large, or are few
 * sums where products are looked up.
 *
 * @param fallback the provider of the other kernels
 */
record MachineKernelProvider(KernelProvider fallback) implements KernelProvider {
    /**
     * Once native calls are set up in this JVM, which takes a third of a second, a kernel is tried soon. A trial
     * takes 20 milliseconds at least, which kernels that serve a few calls only, for losses that come once, are not worth.
     */
    private static final long BEFORE_NEXT_TRIAL = 1 << 20;

    @Override
    public String name() {
        return "machine";
    }

    @Override
    public Optional<String> unavailable() {
        return MachineCode.unavailable();
    }

    @Override
    public String description() {
        return MachineCode.description();
    }

    @Override
    public Kernel compile(Program program) {
        return compile(program, KernelSettings.warmUpBytes());
    }

    /** @param warmUp bytes that another kernel computes before machine code is tried; 0 takes machine code at once */
    Kernel compile(Program program, long warmUp) {
        if (!compilesCode(program)) {
            return fallback.compile(program);
        }
        MachineCode.Check check = MachineCode.Check.valueOf(Check.current().name());
        Supplier<Kernel> machine = () -> new MachineKernel(program, check);
        if (warmUp == 0) {
            return machine.get();
        }
        long beforeTrial = MachineCode.isSetUp() ? BEFORE_NEXT_TRIAL : warmUp;
        Kernel first = first(program, warmUp);
        return MachineCode.takesArrays()
                ? new WarmingKernel(program, Trial.Memory.HEAP, first, machine, beforeTrial)
                : new ByMemory(
                        copying(program, machine, warmUp),
                        new WarmingKernel(program, Trial.Memory.DIRECT, first, machine, beforeTrial));
    }

    /**
     * Vectors, whose trial takes a second of a processor, are tried later, and not at all if machine code has taken over by then: the
     * first one of a JVM has not where hundreds of megabytes are coded in a second.
     */
    private Kernel first(Program program, long warmUp) {
        return fallback instanceof VectorKernelProvider vectors
                ? vectors.compile(program, 2 * warmUp)
                : fallback.compile(program);
    }

    /** Whether a program becomes machine code, once this has won its trial. */
    boolean compilesCode(Program program) {
        return MachineKernel.fits(program) && !isForFallback(program);
    }

    /**
     * A kernel for arrays where machine code has to copy them. Vectors of Java do not, so they are tried first, and stay where they need few
     * steps.
     */
    private Kernel copying(Program program, Supplier<Kernel> machine, long warmUp) {
        if (!(fallback instanceof VectorKernelProvider vectors)) {
            return new WarmingKernel(program, Trial.Memory.LARGE_HEAP, fallback.compile(program), machine, warmUp);
        }
        Kernel other = vectors.compile(program, warmUp);
        return program.timesX() == 0 || isForVectors(program)
                ? other
                : new WarmingKernel(program, Trial.Memory.LARGE_HEAP, other, machine, 2 * warmUp);
    }

    private boolean isForFallback(Program program) {
        return fallback instanceof VectorKernelProvider && !MachineCode.multiplies() && isForVectors(program);
    }

    /**
     * Whether vectors of Java are faster than look-ups. Those take four to six instructions for a product, whatever the constant is, and vectors
     * five for a step "times x", of which the small constants of searched generators want few.
     */
    static boolean isForVectors(Program program) {
        int products = 0;
        for (int[] row : program.coefficients()) {
            for (int coefficient : row) {
                products += coefficient > 1 ? 1 : 0;
            }
        }
        return products > 2 * program.timesX();
    }
}
