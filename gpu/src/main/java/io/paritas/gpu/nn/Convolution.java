/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * A convolution of images whose channels are innermost, as a {@link Product} whose A is what the filter sees; A is read
 * from the images, never made. Norms and sums of A are made by a launch of their own. Thread-safe, with a stream, verdict and
 * activations for each thread.
 */
public class Convolution extends CheckedLayer {
    private final ImageFilter filter;

    /**
     * A layer; the thread is bound to the GPU.
     *
     * @param weights a row for each of {@link ImageFilter#depth}, a column for each output channel
     * @throws IllegalArgumentException if the weights do not fit the filter, or the scheme cannot check them
     */
    public Convolution(ImageFilter filter, Weights weights, Scheme scheme, Activation activation) {
        super("convolution", weights, scheme, activation);
        if (weights.depth() != filter.depth()) {
            throw new IllegalArgumentException("The filter " + filter + " has " + filter.depth()
                    + " weights for each output channel; got " + weights.depth());
        }
        this.filter = filter;
    }

    /** The shape. */
    public ImageFilter filter() {
        return filter;
    }

    /**
     * Puts the convolution into a stream, and returns at once.
     *
     * @param images a row for each, without gaps, of the weights' precision
     * @param output a row for each place of each image, a column for each output channel: without gaps it is images again
     * @param verdict takes what the checks find
     * @throws IllegalArgumentException if something has another size or precision
     */
    public void run(Activations images, Activations output, Verdict verdict, CudaStream stream) {
        if (images.columns() != filter.imageSize()
                || images.stride() != images.columns()
                || images.precision() != weights().precision()) {
            throw new IllegalArgumentException("Images of the filter " + filter + " have " + filter.imageSize()
                    + " values of the precision " + weights().precision() + ", without gaps; got " + images.columns()
                    + " of " + images.precision() + ", " + images.stride() + " apart");
        }
        int rows = filter.rows(images.rows());
        check(output, rows);
        boolean global = scheme() == Scheme.GLOBAL;
        long blocks = Activations.blocks(rows);
        long sumCount = global ? blocks * weights().depth() : 0;
        long blockCount = global ? blocks * weights().blocks() : 0;
        long squares = scheme().needsNorms() ? verdict.scratch(rows + sumCount + blockCount, stream) : 0;
        long sums = squares + (long) rows * Float.BYTES;
        Measures measures = new Measures(squares, 1, sums);
        Job job = job(images.address(), rows, 0, measures, output, verdict, sums + sumCount * Float.BYTES, new int[] {
            filter.height(),
            filter.width(),
            filter.channels(),
            filter.outputHeight(),
            filter.outputWidth(),
            filter.filterHeight(),
            filter.filterWidth(),
            filter.stride(),
            filter.padding()
        });
        if (scheme().needsNorms()) {
            measure(job, squares, sums, stream);
        }
        run(job, measures, output, stream);
    }
}
