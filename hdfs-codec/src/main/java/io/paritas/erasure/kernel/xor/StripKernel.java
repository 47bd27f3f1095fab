/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** A compiled product of a matrix of bits with strips. Thread-safe: any number of threads may run one kernel at once. */
public interface StripKernel {
    /**
     * Computes every output strip from the input strips.
     *
     * <p>Inputs are only read, outputs only written; no output may overlap an input or another output. Any length and any
     * alignment is legal. The caller has checked that the counts are the product's and that the lengths agree.
     */
    void apply(Strips inputs, Strips outputs);
}
