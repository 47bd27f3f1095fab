/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;

/**
 * The CPU's kernels, and beside them those of an accelerator for what it computes faster: {@link RacingKernel}.
 *
 * @param cpu what this is to the outside
 */
record Accelerated(KernelProvider cpu, KernelProvider accelerator) implements KernelProvider {
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
