/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.nn.CheckedWeights.BlockSums;
import io.paritas.gpu.nn.CheckedWeights.Measures;
import java.util.Optional;

/**
 * A convolution of images whose channels are innermost, computed as a {@link Gemm}: A has a row for each patch that the filter
 * covers, and is read from the images, never stored. Norms of its pixels take a launch of their own. Thread-safe, if each thread
 * has its own stream, fault buffer and activations.
 */
public class Convolution extends CheckedLayer {
    private final ImageFilter filter;

    /**
     * Creates a layer; the thread is bound to the GPU.
     *
     * @param weights a row for each of {@link ImageFilter#depth}, a column for each output channel
     * @throws IllegalArgumentException if the weights do not fit the filter, or the scheme cannot check them
     */
    public Convolution(ImageFilter filter, Weights weights, Scheme scheme, Activation activation) {
        super(weights, scheme, activation);
        if (weights.depth() != filter.depth()) {
            throw new IllegalArgumentException("the filter " + filter + " needs " + filter.depth()
                    + " weights for each output channel, got " + weights.depth());
        }
        this.filter = filter;
    }

    /** The shape. */
    public ImageFilter filter() {
        return filter;
    }

    /**
     * Enqueues the convolution on a stream, and returns at once.
     *
     * @param images one a row, without gaps, of the weights' precision
     * @param output a row for each patch of each image, a column for each output channel; without gaps these are images again
     * @param faults receives what the checks find
     * @throws IllegalArgumentException if something has another size or precision
     */
    public void run(Activations images, Activations output, FaultBuffer faults, CudaStream stream) {
        if (images.columns() != filter.imageSize()
                || images.stride() != images.columns()
                || images.precision() != weights().precision()) {
            throw new IllegalArgumentException("images for the filter " + filter + " must have " + filter.imageSize()
                    + " values of the precision " + weights().precision() + ", without gaps, got " + images.columns()
                    + " of " + images.precision() + ", " + images.stride() + " apart");
        }
        int rows = filter.rows(images.rows());
        check(output, rows);
        boolean global = scheme() == Scheme.GLOBAL;
        boolean measures = scheme().needsNorms();
        long pixels = (long) images.rows() * filter.window().pixels();
        long squares = measures ? faults.scratch(pixels + (global ? checked().sums(rows) : 0), stream) : 0;
        Measures ofA = new Measures(squares, 1);
        BlockSums blockSums = global
                ? new BlockSums(squares + pixels * Float.BYTES, faults.arrivals(Weights.blocks(rows), stream))
                : BlockSums.NONE;
        run(
                place(images.address(), 0, Optional.of(filter.window()), output, faults.splitK(stream)),
                checks(ofA, blockSums, output, faults),
                measures,
                output,
                stream);
    }
}
