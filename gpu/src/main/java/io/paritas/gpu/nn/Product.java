/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * C = activation(A · B + bias) on the GPU, checked by a {@link Scheme} while it is computed: a linear layer. The sums
 * A · B are checked; bias, activation and rounding of the output are not. Thread-safe, with a stream, verdict and
 * activations for each thread.
 */
public class Product extends CheckedLayer {

    /**
     * A layer; the thread is bound to the GPU.
     *
     * @throws IllegalArgumentException if the scheme cannot check the weights
     */
    public Product(Weights weights, Scheme scheme, Activation activation) {
        super("product", weights, scheme, activation);
    }

    /**
     * Puts the product into a stream, and returns at once.
     *
     * @param a of the weights' precision
     * @param c of any precision; must not be a
     * @param verdict takes what the checks find
     * @throws IllegalArgumentException if a matrix has another size or precision
     */
    public void run(Activations a, Activations c, Verdict verdict, CudaStream stream) {
        if (a.columns() != weights().depth() || a.precision() != weights().precision()) {
            throw new IllegalArgumentException("A has " + weights().depth() + " columns of the precision "
                    + weights().precision() + "; got " + a.columns() + " of " + a.precision());
        }
        check(c, a.rows());
        long blockSums = scheme() == Scheme.GLOBAL
                ? verdict.scratch(
                        (long) Activations.blocks(a.rows()) * weights().blocks(), stream)
                : 0;
        if (!a.isMeasured(scheme())) {
            Measures unknown = new Measures(a.squares(), 0, a.sums());
            measure(job(a, unknown, c, verdict, blockSums), a.squares(), a.sums(), stream);
            a.measured(1, scheme() == Scheme.GLOBAL);
        }
        Measures measures = new Measures(a.squares(), a.parts(), a.sums());
        run(job(a, measures, c, verdict, blockSums), measures, c, stream);
    }

    private Job job(Activations a, Measures measures, Activations c, Verdict verdict, long blockSums) {
        return job(a.address(), a.rows(), a.stride(), measures, c, verdict, blockSums, new int[0]);
    }
}
