/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** A compiled {@link Program}. Thread-safe: any number of threads may run one kernel at once. */
public interface Kernel {
    /**
     * Computes every byte of the outputs from the bytes at the same place of the inputs.
     *
     * <p>Inputs are only read and outputs only written; no output may overlap an input or another output. Any length and
     * any alignment is legal. The caller has checked that the counts are the program's and that the lengths agree.
     */
    void apply(Regions inputs, Regions outputs);
}
