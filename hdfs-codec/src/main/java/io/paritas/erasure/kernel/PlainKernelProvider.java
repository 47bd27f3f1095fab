/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;

/** Plain Java: always there. */
final class PlainKernelProvider implements KernelProvider {
    @Override
    public String name() {
        return "plain";
    }

    @Override
    public Optional<String> unavailable() {
        return Optional.empty();
    }

    @Override
    public String description() {
        return "plain Java, 64 bits at a time";
    }

    @Override
    public Kernel compile(Program program) {
        return new PlainKernel(program, Check.current());
    }
}
