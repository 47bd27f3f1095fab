/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** A kernel for each kind of memory, which warms up when that memory is used. Mixed memory counts as heap. */
record ByMemory(Kernel heap, Kernel direct) implements Kernel {
    @Override
    public void apply(Regions inputs, Regions outputs) {
        (Regions.areDirect(inputs, outputs) ? direct : heap).apply(inputs, outputs);
    }
}
