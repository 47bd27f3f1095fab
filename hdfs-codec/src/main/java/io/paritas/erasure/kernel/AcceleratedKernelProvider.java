/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;

/**
 * Compiles {@link RacingKernel}s: the CPU's kernels, and an accelerator's where they are faster.
 *
 * @param cpu the provider that gives this one its name
 * @param accelerator the provider of the accelerator's kernels
 */
record AcceleratedKernelProvider(KernelProvider cpu, KernelProvider accelerator) implements KernelProvider {
    @Override
    public String name() {
        return cpu.name();
    }

    @Override
    public Optional<String> unavailable() {
        return cpu.unavailable();
    }

    @Override
    public String description() {
        return cpu.description() + ", and " + accelerator.name() + " on " + accelerator.description()
                + " where that turns out to be faster";
    }

    @Override
    public Kernel compile(Program program) {
        return new RacingKernel(cpu.compile(program), () -> accelerator.compile(program));
    }
}
