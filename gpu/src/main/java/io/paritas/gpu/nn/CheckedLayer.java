/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaFunction;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.Optional;

/** A layer C = activation(A · B + bias) with a check: what {@link Gemm} and {@link Convolution} have in common. */
abstract class CheckedLayer implements AutoCloseable {
    private static final int THREADS = 128;
    private static final int FLOAT_OUTPUT = 2;
    private static final int SUM_NEXT = 4;
    private static final int MEASURE_NEXT = 8;

    private final String kind;
    private final Weights weights;
    private final Scheme scheme;
    private final Activation activation;
    private final DeviceMemory bounds;

    /** @param kind {@code gemm} or {@code convolution}, as in the names of kernels */
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

    /**
     * The operand A.
     *
     * @param address of its first value
     * @param rows of A, and so of C
     * @param stride values between the starts of two rows; 0 for images
     * @param window what the filter sees of the images; empty for a GEMM
     */
    record Operand(long address, int rows, int stride, Optional<ImageWindow> window) {}

    /**
     * What the checks need of A.
     *
     * @param squares address of the squared norms of its rows
     * @param parts how many parts each squared norm is the sum of
     * @param sums address of the sums of its columns, for each block of rows
     */
    record Measures(long squares, int parts, long sums) {}

    /** Returns the name of this layer's kernel. */
    String kernel() {
        return kind + "_" + weights.precision() + "_" + scheme.kernel();
    }

    /**
     * Returns the parameters of this layer's kernels.
     *
     * @param blockSums address of a sum for each block of C, for {@link Scheme#GLOBAL}; otherwise 0
     */
    KernelParameters parameters(Operand a, Measures measures, Activations c, FaultBuffer faults, long blockSums) {
        boolean measureNext = scheme.needsNorms();
        boolean sumNext = scheme == Scheme.GLOBAL;
        int flags = (c.precision() == Precision.SINGLE ? FLOAT_OUTPUT : 0)
                | (sumNext ? SUM_NEXT : 0)
                | (measureNext ? MEASURE_NEXT : 0);
        long[] at = {
            a.address(),
            weights.packed(),
            weights.bias(),
            c.address(),
            measures.squares(),
            bounds.address(),
            blockSums,
            c.sums(),
            c.squares(),
            faults.address(),
            0
        };
        int[] product = {a.rows(), weights.columns(), weights.depth(), a.stride(), c.stride(), measures.parts(), flags};
        int[] sizes = KernelParameters.sizes(product, a.window(), activation);
        return new KernelParameters(at, sizes, Activations.blocks(a.rows()));
    }

    /** Launches the kernel, and for {@link Scheme#GLOBAL} the kernel that checks. */
    void run(KernelParameters parameters, Measures measures, Activations c, CudaStream stream) {
        launch(parameters, stream);
        if (scheme == Scheme.GLOBAL) {
            Gpu.current()
                    .module("checksums")
                    .function("check_global")
                    .launch(
                            new LaunchShape(parameters.rowBlocks(), 1, 1, THREADS, 0),
                            stream,
                            parameters.at(),
                            parameters.sizes(),
                            measures.sums(),
                            weights.rowSums(),
                            weights.blocks());
        }
        if (scheme.needsNorms()) {
            c.measured(weights.blocks(), scheme);
        } else {
            c.changed();
        }
    }

    /** Launches the kernel that computes C. */
    void launch(KernelParameters parameters, CudaStream stream) {
        CudaFunction kernel =
                Gpu.current().module(kind + "_" + weights.precision()).function(kernel());
        kernel.launch(shape(parameters), stream, parameters.at(), parameters.sizes(), 0f);
    }

    LaunchShape shape(KernelParameters parameters) {
        return new LaunchShape(parameters.rowBlocks(), weights.blocks(), 1, THREADS, 0);
    }

    /** Launches the kernel that computes what the checks need of A. */
    void measure(KernelParameters parameters, long squares, long sums, CudaStream stream) {
        Gpu.current()
                .module("checksums")
                .function("measure_" + kind + "_" + weights.precision())
                .launch(
                        new LaunchShape(parameters.rowBlocks(), 1, 1, THREADS, 0),
                        stream,
                        parameters.at(),
                        parameters.sizes(),
                        squares,
                        scheme == Scheme.GLOBAL ? sums : 0L);
    }

    void check(Activations c, int rows) {
        if (c.rows() != rows || c.columns() != weights.columns()) {
            throw new IllegalArgumentException("the output must be " + rows + " x " + weights.columns() + ", got "
                    + c.rows() + " x " + c.columns());
        }
    }

    /** Frees the memory; nothing may use it any more. The weights stay. */
    @Override
    public void close() {
        bounds.close();
    }
}
