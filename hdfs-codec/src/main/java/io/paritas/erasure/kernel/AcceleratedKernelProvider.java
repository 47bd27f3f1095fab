/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Compiles {@link RacingKernel}s: the CPU's kernels, and an accelerator's where they are faster.
 *
 * @param cpu the provider that gives this one its name
 * @param accelerator the provider of the accelerator's kernels
 * @param failed whether one of these has failed: then none is used any more
 */
record AcceleratedKernelProvider(KernelProvider cpu, KernelProvider accelerator, AtomicBoolean failed)
        implements KernelProvider {
    AcceleratedKernelProvider(KernelProvider cpu, KernelProvider accelerator) {
        this(cpu, accelerator, new AtomicBoolean());
    }

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
        return new RacingKernel(cpu.compile(program), () -> accelerator.compile(program), failed);
    }
}
