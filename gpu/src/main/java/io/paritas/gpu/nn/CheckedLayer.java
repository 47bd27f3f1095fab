/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaFunction;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;

/** Computes C = activation(A · B + bias) with a check: what products and convolutions have in common. */
abstract class CheckedLayer implements AutoCloseable {
    private static final int THREADS = 128;
    private static final int RELU = 1;
    private static final int FLOAT_OUTPUT = 2;
    private static final int SUM_NEXT = 4;
    private static final int MEASURE_NEXT = 8;

    private final String kind;
    private final Weights weights;
    private final Scheme scheme;
    private final Activation activation;
    private final DeviceMemory bounds;

    /** @param kind {@code product} or {@code convolution} */
    CheckedLayer(String kind, Weights weights, Scheme scheme, Activation activation) {
        this.kind = kind;
        this.weights = weights;
        this.scheme = scheme;
        this.activation = activation;
        bounds = DeviceValues.upload(weights.bounds(scheme));
    }

    /** B. */
    public Weights weights() {
        return weights;
    }

    /** How C is checked. */
    public Scheme scheme() {
        return scheme;
    }

    /** Where the checks of A are. */
    record Measures(long squares, int parts, long sums) {}

    /** The name of this layer's kernel. */
    String kernel() {
        return kind + "_" + weights.precision() + "_" + scheme.kernel();
    }

    /**
     * The parameters.
     *
     * @param filter the struct's sizes of a convolution; none for a product
     */
    Job job(
            long a,
            int rows,
            int stride,
            Measures measures,
            Activations c,
            Verdict verdict,
            long blockSums,
            int[] filter) {
        boolean measureNext = scheme.needsNorms();
        boolean sumNext = scheme == Scheme.GLOBAL;
        int flags = (activation == Activation.RELU ? RELU : 0)
                | (c.precision() == Precision.SINGLE ? FLOAT_OUTPUT : 0)
                | (sumNext ? SUM_NEXT : 0)
                | (measureNext ? MEASURE_NEXT : 0);
        long[] at = {
            a,
            weights.packed(),
            weights.bias(),
            c.address(),
            measures.squares(),
            bounds.address(),
            blockSums,
            c.sums(),
            c.squares(),
            verdict.address()
        };
        int[] sizes = new int[16];
        int[] first = {rows, weights.columns(), weights.depth(), stride, c.stride(), measures.parts(), flags};
        System.arraycopy(first, 0, sizes, 0, first.length);
        System.arraycopy(filter, 0, sizes, first.length, filter.length);
        return new Job(at, sizes, Activations.blocks(rows));
    }

    /** Launches the kernel, and the check that is a kernel of its own. */
    void run(Job job, Measures measures, Activations c, CudaStream stream) {
        launch(job, stream);
        if (scheme == Scheme.GLOBAL) {
            Gpu.get()
                    .module("checksums")
                    .function("check_global")
                    .launch(
                            new LaunchShape(job.rowBlocks(), 1, 1, THREADS, 0),
                            stream,
                            job.at(),
                            job.sizes(),
                            measures.sums(),
                            weights.rowSums(),
                            weights.blocks());
        }
        if (scheme.needsNorms()) {
            c.measured(weights.blocks(), scheme == Scheme.GLOBAL);
        } else {
            c.changed();
        }
    }

    /** Launches the kernel that computes C. */
    void launch(Job job, CudaStream stream) {
        CudaFunction kernel = Gpu.get().module(kind + "_" + weights.precision()).function(kernel());
        kernel.launch(shape(job), stream, job.at(), job.sizes(), 0f);
    }

    LaunchShape shape(Job job) {
        return new LaunchShape(job.rowBlocks(), weights.blocks(), 1, THREADS, 0);
    }

    /** Launches the kernel that makes what the checks need of A. */
    void measure(Job job, long squares, long sums, CudaStream stream) {
        Gpu.get()
                .module("checksums")
                .function("measure_" + kind + "_" + weights.precision())
                .launch(
                        new LaunchShape(job.rowBlocks(), 1, 1, THREADS, 0),
                        stream,
                        job.at(),
                        job.sizes(),
                        squares,
                        scheme == Scheme.GLOBAL ? sums : 0L);
    }

    void check(Activations c, int rows) {
        if (c.rows() != rows || c.columns() != weights.columns()) {
            throw new IllegalArgumentException(
                    "The output is " + rows + " x " + weights.columns() + "; got " + c.rows() + " x " + c.columns());
        }
    }

    /** Gives the memory back; nothing may use it any more. The weights stay. */
    @Override
    public void close() {
        bounds.close();
    }
}
