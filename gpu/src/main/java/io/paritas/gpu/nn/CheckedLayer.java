/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.BlockSums;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Measures;
import io.paritas.gpu.nn.CheckedWeights.Place;
import java.util.List;
import java.util.Optional;

/** A layer C = activation(A · B + bias) with a check: what {@link Gemm} and {@link Convolution} have in common. */
abstract class CheckedLayer implements AutoCloseable {
    private final CheckedWeights checked;
    private final Activation activation;

    CheckedLayer(Weights weights, Scheme scheme, Activation activation) {
        this.checked = new CheckedWeights(weights, scheme);
        this.activation = activation;
    }

    /** B. */
    public Weights weights() {
        return checked.weights();
    }

    /** How C is checked. */
    public Scheme scheme() {
        return checked.scheme();
    }

    CheckedWeights checked() {
        return checked;
    }

    /** A product of a matrix, or of images, into C. */
    Place place(long a, int stride, Optional<ImageWindow> window, Activations c, long splitK) {
        return new Place(a, stride, window, c.rows(), c.address(), c.stride(), c.precision(), 0, splitK, activation);
    }

    /** C is measured for the next layer. */
    Checks checks(Measures ofA, BlockSums blockSums, Activations c, FaultBuffer faults) {
        Measures next =
                scheme().needsNorms() ? new Measures(c.squares(), weights().blocks()) : Measures.NONE;
        return new Checks(ofA, blockSums, next, faults.address());
    }

    /**
     * Enqueues the layer.
     *
     * @param measures whether A is to be measured first
     */
    void run(Place place, Checks checks, boolean measures, Activations c, CudaStream stream) {
        launches(place, checks, measures).forEach(launch -> launch.enqueue(stream));
        if (scheme().needsNorms()) {
            c.measured(weights().blocks());
        } else {
            c.changed();
        }
    }

    /** As {@link CheckedWeights#launches}. */
    List<Launch> launches(Place place, Checks checks, boolean measures) {
        return checked.launches(place, checks, measures);
    }

    void check(Activations c, int rows) {
        if (c.rows() != rows || c.columns() != weights().columns()) {
            throw new IllegalArgumentException("the output must be " + rows + " x "
                    + weights().columns() + ", got " + c.rows() + " x " + c.columns());
        }
    }

    /** Frees the memory; nothing may use it any more. The weights stay. */
    @Override
    public void close() {
        checked.close();
    }
}
