/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.PublicApi;
import java.util.Optional;

/**
 * A way to run programs, such as plain Java, vectors or a GPU. {@link java.util.ServiceLoader} finds providers of other
 * modules; they run when selected by name, or beside the CPU's kernels if they are {@linkplain #accelerates
 * accelerators}. Thread-safe: several threads may compile at once.
 */
@PublicApi
public interface KernelProvider {
    /** The name that selects it, such as {@code plain}; lower case. */
    String name();

    /** Returns why it cannot run here and what to do, in one sentence; empty if it can. Never throws. */
    Optional<String> unavailable();

    /** The hardware that its kernels run on, such as {@code 512-bit vectors}. Only called when available. */
    String description();

    /**
     * Whether {@code auto} may try it beside the CPU's kernels on large units, and use it where it is faster. If one of its
     * kernels fails, the CPU's kernel computes the outputs again.
     */
    default boolean accelerates() {
        return false;
    }

    /** Compiles a program. Only called when available. */
    Kernel compile(Program program);
}
