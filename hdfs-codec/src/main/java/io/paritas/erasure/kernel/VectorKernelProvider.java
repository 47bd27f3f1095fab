/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
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
    private static final int C2_TIER = 4;

    /** What decides whether vectors are worth it; a value, so that every machine can be tested on any. */
    record Jvm(boolean hasModule, boolean hasC2, int vectorBits) {}

    @Override
    public String name() {
        return "vector";
    }

    @Override
    public Optional<String> unavailable() {
        boolean hasModule = ModuleLayer.boot().findModule(MODULE).isPresent();
        try {
            return refusal(new Jvm(hasModule, hasC2(), hasModule ? VectorKernel.bits() : 0));
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
                    + " -XX:TieredStopAtLevel or -XX:+UseJVMCICompiler");
        }
        if (jvm.vectorBits < MIN_BITS) {
            return Optional.of(
                    "the widest vector of this machine has " + jvm.vectorBits + " bits, fewer than " + MIN_BITS);
        }
        return Optional.empty();
    }

    private static boolean hasC2() {
        HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return vm != null
                && isSet(vm, "UseCompiler", true)
                && !isSet(vm, "UseJVMCICompiler", false)
                && tieredStopAtLevel(vm) >= C2_TIER;
    }

    private static boolean isSet(HotSpotDiagnosticMXBean vm, String flag, boolean ifUnknown) {
        return option(vm, flag).map(Boolean::parseBoolean).orElse(ifUnknown);
    }

    private static int tieredStopAtLevel(HotSpotDiagnosticMXBean vm) {
        return option(vm, "TieredStopAtLevel").map(Integer::parseInt).orElse(C2_TIER);
    }

    private static Optional<String> option(HotSpotDiagnosticMXBean vm, String flag) {
        try {
            return Optional.of(vm.getVMOption(flag).getValue());
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a JVM that does not know the flag
        }
    }

    @Override
    public String description() {
        return VectorKernel.bits() + "-bit vectors";
    }

    @Override
    public Kernel compile(Program program) {
        Supplier<Kernel> heap = () -> kernel(program);
        Supplier<Kernel> direct = () -> new DirectVectorKernel(kernel(program));
        long warmUp = Setting.WARM_UP.longValue() << 20;
        if (warmUp == 0) {
            return new ByMemory(new LazyKernel(heap), new LazyKernel(direct));
        }
        Kernel plain = new PlainKernel(program);
        return new ByMemory(
                new WarmingKernel(program, Trial.Memory.HEAP, plain, heap, warmUp),
                new WarmingKernel(program, Trial.Memory.DIRECT, plain, direct, warmUp));
    }

    /** Each kind of memory has its own code, which warms up when that memory is used. */
    private record ByMemory(Kernel heap, Kernel direct) implements Kernel {
        @Override
        public void apply(Regions inputs, Regions outputs) {
            (inputs.isDirect() && outputs.isDirect() ? direct : heap).apply(inputs, outputs);
        }
    }

    private static VectorKernel kernel(Program program) {
        Schedule schedule = TuningFile.standard()
                .find(TuningFile.Key.of(Tuner.machine(), program))
                .orElseGet(() -> Schedule.standard(VectorKernel.bits()));
        return new VectorKernel(program, schedule, check());
    }

    private static VectorKernel.Check check() {
        return switch (Setting.CHECK.value()) {
            case "fold" -> VectorKernel.Check.FOLDS;
            case "none" -> VectorKernel.Check.NONE;
            default ->
                throw new IllegalStateException(
                        Setting.CHECK.key + " is fold or none; got '" + Setting.CHECK.value() + "'");
        };
    }
}
