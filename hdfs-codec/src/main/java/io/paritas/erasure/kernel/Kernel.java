/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.PublicApi;

/** A compiled {@link Program}. Thread-safe: any number of threads may run one kernel at once. */
@PublicApi
public interface Kernel {
    /**
     * Computes every byte of the outputs from the bytes at the same place of the inputs.
     *
     * <p>Inputs are only read and outputs only written; no output may overlap an input or another output. Any length and
     * alignment is allowed. The caller has checked counts and lengths.
     *
     * @param inputs one region for each input of the program
     * @param outputs one region for each output, as long as the inputs
     * @throws java.nio.ReadOnlyBufferException if there are bytes to write, and an output is in a read-only buffer
     */
    void apply(Regions inputs, Regions outputs);
}
