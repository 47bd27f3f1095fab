/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.nn.CheckedWeights.BlockSums;
import io.paritas.gpu.nn.CheckedWeights.Measures;
import java.util.Optional;

/**
 * A linear layer C = activation(A · B + bias) on the GPU, checked by a {@link Scheme} while it is computed. The sums A · B
 * are checked; bias, activation and rounding of the output are not. Thread-safe, if each thread has its own stream, fault buffer
 * and activations.
 */
public class Gemm extends CheckedLayer {

    /**
     * Creates a layer; the thread is bound to the GPU.
     *
     * @throws IllegalArgumentException if the scheme cannot check the weights
     */
    public Gemm(Weights weights, Scheme scheme, Activation activation) {
        super(weights, scheme, activation);
    }

    /**
     * Enqueues the layer on a stream, and returns at once.
     *
     * @param a of the weights' precision
     * @param c of any precision; must not be a
     * @param faults receives what the checks find
     * @throws IllegalArgumentException if a matrix has another size or precision
     */
    public void run(Activations a, Activations c, FaultBuffer faults, CudaStream stream) {
        if (a.columns() != weights().depth() || a.precision() != weights().precision()) {
            throw new IllegalArgumentException("A must have " + weights().depth() + " columns of the precision "
                    + weights().precision() + ", got " + a.columns() + " of " + a.precision());
        }
        check(c, a.rows());
        BlockSums blockSums = scheme() == Scheme.GLOBAL
                ? new BlockSums(
                        faults.scratch(checked().sums(a.rows()), stream),
                        faults.arrivals(Weights.blocks(a.rows()), stream))
                : BlockSums.NONE;
        boolean measures = !a.isMeasured(scheme());
        if (measures) {
            a.measured(1);
        }
        Measures ofA = new Measures(a.squares(), a.parts());
        run(
                place(a.address(), a.stride(), Optional.empty(), c, faults.splitK(stream)),
                checks(ofA, blockSums, c, faults),
                measures,
                c,
                stream);
    }
}
