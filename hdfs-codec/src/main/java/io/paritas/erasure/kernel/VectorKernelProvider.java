/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Vectors through {@code jdk.incubator.vector}, where the JVM has that module and compiles it with C2: interpreted, its
 * operations are a hundred times slower than plain Java.
 *
 * <p>No static state here: {@link VectorKernel} is first touched after the module was found.
 */
final class VectorKernelProvider implements KernelProvider {
    private static final String MODULE = "jdk.incubator.vector";
    private static final int MIN_BITS = 128;

    /**
     * How much longer xors alone stay in plain Java: four mebibytes take it as long as one with products. A trial and what it compiles
     * cost a second of processors, which vectors save in 13 GB.
     */
    private static final int XORS_ALONE = 64;

    /** The properties of a JVM that decide whether vectors pay; a value, so that tests can describe any JVM. */
    record Jvm(boolean hasModule, boolean hasC2, int vectorBits) {}

    @Override
    public String name() {
        return "vector";
    }

    @Override
    public Optional<String> unavailable() {
        boolean hasModule = ModuleLayer.boot().findModule(MODULE).isPresent();
        try {
            return refusal(new Jvm(hasModule, Compilers.hasC2(), hasModule ? VectorKernel.bits() : 0));
        } catch (LinkageError e) {
            return Optional.of("the module " + MODULE + " of this JVM cannot be used: " + e);
        }
    }

    static Optional<String> refusal(Jvm jvm) {
        if (!jvm.hasModule) {
            return Optional.of("this JVM runs without the module " + MODULE + "; pass --add-modules " + MODULE);
        }
        if (!jvm.hasC2) {
            return Optional.of("this JVM runs without the C2 compiler, which vectors need; do not pass -Xint,"
                    + " -XX:TieredStopAtLevel or -XX:CompilationMode, and take no JVM with Graal in its place");
        }
        if (jvm.vectorBits < MIN_BITS) {
            return Optional.of(
                    "the widest vector of this machine has " + jvm.vectorBits + " bits, fewer than " + MIN_BITS);
        }
        return Optional.empty();
    }

    @Override
    public String description() {
        return VectorKernel.bits() + "-bit vectors";
    }

    @Override
    public Kernel compile(Program program) {
        return compile(program, KernelSettings.warmUpBytes());
    }

    /** @param warmUp bytes that plain Java computes before vectors are tried; 0 takes vectors at once */
    Kernel compile(Program program, long warmUp) {
        Supplier<Kernel> heap = () -> kernel(program);
        Supplier<Kernel> direct = () -> new DirectVectorKernel(kernel(program));
        if (warmUp == 0) {
            return new ByMemory(new LazyKernel(heap), new LazyKernel(direct));
        }
        Kernel plain = new PlainKernel(program, Check.current());
        long bytes = beforeTrial(program, warmUp);
        return new ByMemory(
                new WarmingKernel(program, Trial.Memory.HEAP, plain, heap, bytes),
                new WarmingKernel(program, Trial.Memory.DIRECT, plain, direct, bytes));
    }

    static long beforeTrial(Program program, long warmUp) {
        return program.timesX() == 0 ? XORS_ALONE * warmUp : warmUp;
    }

    private static VectorKernel kernel(Program program) {
        return new VectorKernel(program, new VectorSchedules(program).fastest(), Check.current());
    }
}
