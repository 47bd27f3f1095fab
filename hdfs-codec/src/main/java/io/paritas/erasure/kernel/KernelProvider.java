/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Optional;

/**
 * A way to run programs: plain Java, vectors, a GPU. Providers of other modules are found by
 * {@link java.util.ServiceLoader}; they run when they are asked for by name, or beside the CPU's kernels if they are
 * {@linkplain #accelerates accelerators}.
 */
public interface KernelProvider {
    /** The name that selects it, such as {@code plain}; lower case. */
    String name();

    /** Empty if it can run here; otherwise one sentence that says what is missing and what to do. Never throws. */
    Optional<String> unavailable();

    /** What its kernels run on, for people: such as {@code 512-bit vectors}. Only asked when available. */
    String description();

    /**
     * Whether {@code auto} may try it beside the CPU's kernels, for units that are large: where it turns out to be faster, it
     * is used. Its kernels may fail; the CPU's then compute the outputs once more.
     */
    default boolean accelerates() {
        return false;
    }

    /** Compiles a program. Only called when available. */
    Kernel compile(Program program);
}
