/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
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
        super("gemm", weights, scheme, activation);
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
        long blockSums = scheme() == Scheme.GLOBAL
                ? faults.scratch((long) Activations.blocks(a.rows()) * weights().blocks(), stream)
                : 0;
        if (!a.isMeasured(scheme())) {
            Measures unknown = new Measures(a.squares(), 0, a.sums());
            measure(parameters(a, unknown, c, faults, blockSums), a.squares(), a.sums(), stream);
            a.measured(1, scheme());
        }
        Measures measures = new Measures(a.squares(), a.parts(), a.sums());
        run(parameters(a, measures, c, faults, blockSums), measures, c, stream);
    }

    private KernelParameters parameters(
            Activations a, Measures measures, Activations c, FaultBuffer faults, long blockSums) {
        return parameters(
                new Operand(a.address(), a.rows(), a.stride(), Optional.empty()), measures, c, faults, blockSums);
    }
}
