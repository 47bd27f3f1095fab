/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.function.Supplier;

/** A kernel that is made when it is first used. */
final class LazyKernel implements Kernel {
    private final Supplier<Kernel> maker;
    private volatile Kernel kernel;

    LazyKernel(Supplier<Kernel> maker) {
        this.maker = maker;
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        Kernel made = kernel;
        if (made == null) {
            made = make();
        }
        made.apply(inputs, outputs);
    }

    private synchronized Kernel make() {
        if (kernel == null) {
            kernel = maker.get();
        }
        return kernel;
    }
}
