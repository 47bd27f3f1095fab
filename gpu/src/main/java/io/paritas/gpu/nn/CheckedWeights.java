/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.LaunchShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Weights whose products are checked by a {@link Scheme}: makes the launches of a product and of its checks, for callers that
 * manage memory themselves. Immutable and thread-safe, until closed.
 */
public final class CheckedWeights implements AutoCloseable {
    static final int THREADS = 128;
    private static final int MEASURE_NEXT = 8;

    private final Weights weights;
    private final Scheme scheme;
    /** Empty if nothing is checked. */
    private final Optional<DeviceMemory> bounds;

    /**
     * Uploads the scheme's tolerances; the thread is bound to the GPU.
     *
     * @param weights are not closed with this object
     * @throws IllegalArgumentException if the scheme cannot check the weights
     */
    public CheckedWeights(Weights weights, Scheme scheme) {
        this.weights = weights;
        this.scheme = scheme;
        this.bounds =
                scheme == Scheme.NONE ? Optional.empty() : Optional.of(DeviceValues.upload(weights.bounds(scheme)));
    }

    /** B. */
    Weights weights() {
        return weights;
    }

    /** How products are checked. */
    Scheme scheme() {
        return scheme;
    }

    /**
     * A product in memory.
     *
     * @param a address of A, or of the images whose patches are the rows of A
     * @param stride values between the starts of two rows of A; 0 for images
     * @param window what a filter sees of the images; empty if A is a matrix
     * @param rows of A and of C
     * @param c address of C
     * @param outputStride values between the starts of two rows of C
     * @param outputPrecision of C
     * @param addend address of values that are added before the activation, of the weights' precision; 0 for none
     * @param splitK address of the memory of {@link SplitK}; 0 if the depth is not to be divided
     */
    record Place(
            long a,
            int stride,
            Optional<ImageWindow> window,
            int rows,
            long c,
            int outputStride,
            Precision outputPrecision,
            long addend,
            long splitK,
            Activation activation) {
        private String kind() {
            return window.isPresent() ? "convolution" : "gemm";
        }
    }

    /**
     * Addresses of what checks keep in memory; 0 where a scheme needs nothing.
     *
     * @param measures of A
     * @param blockSums of C, for {@link Scheme#GLOBAL}
     * @param next what the product itself measures of C, for the checks of a product that reads C as its A
     * @param verdict receives what is found
     */
    public record Checks(Measures measures, BlockSums blockSums, Measures next, long verdict) {
        /** No check. */
        public static final Checks NONE = new Checks(Measures.NONE, BlockSums.NONE, Measures.NONE, 0);
    }

    /**
     * What checks need to know of a matrix.
     *
     * @param squares address of the squared norms of its rows, float32; of images, those of their pixels
     * @param parts how many parts each squared norm is the sum of; the parts of all rows lie one behind another
     */
    public record Measures(long squares, int parts) {
        /** Nothing is known, or wanted. */
        public static final Measures NONE = new Measures(0, 0);
    }

    /**
     * Addresses of what a product keeps of C until a row of blocks is complete.
     *
     * @param sums float32, as many as {@link #sums} says
     * @param arrivals an int32 for each {@link Weights#BLOCK} rows, 0 before the first product and after each; products that run one after
     *     another may share them
     */
    public record BlockSums(long sums, long arrivals) {
        /** Nothing is kept. */
        public static final BlockSums NONE = new BlockSums(0, 0);
    }

    /** How many sums {@link Scheme#GLOBAL} keeps. */
    long sums(int rows) {
        return (long) Weights.blocks(rows) * sumsOfBlocks(weights.columns());
    }

    /** The same for a row of blocks of C: that of each block, and what they must add up to, in parts. */
    public static int sumsOfBlocks(int columns) {
        return Weights.blocks(columns) + SplitK.MOST;
    }

    /**
     * A product, which checks itself, behind the measuring of A.
     *
     * @param measures whether A is to be measured first: into its measures, in one part
     */
    List<Launch> launches(Place place, Checks checks, boolean measures) {
        Tile tile = Tile.of(weights, scheme, place.rows);
        int slices = place.splitK == 0 ? 1 : SplitK.slices(tile, weights, place.rows);
        return launches(tile, slices, place, checks, measures);
    }

    /** The same with blocks of threads that compute so much, of so many slices of the depth. */
    List<Launch> launches(Tile tile, int slices, Place place, Checks checks, boolean measures) {
        long[] at = addresses(place, checks);
        int[] sizes = sizes(place, checks);
        String product = place.kind() + "_" + weights.precision();
        List<Launch> launches = new ArrayList<>();
        if (measures) {
            launches.add(measure(at, place, checks.measures.squares));
        }
        String module = tile.module(product);
        launches.add(new Launch(
                Gpu.current().module(module).function(module + "_" + scheme.kernel()),
                tile.shape(weights, place.rows, slices),
                List.of(at, sizes, 0f)));
        return launches;
    }

    /** Measures the rows of A, or the pixels of its images. */
    private Launch measure(long[] at, Place place, long squares) {
        int pixels = place.window
                .map(window -> place.rows / window.positions() * window.pixels())
                .orElse(place.rows);
        int depth = place.window.map(ImageWindow::channels).orElse(weights.depth());
        int stride = place.window.isPresent() ? depth : place.stride;
        int[] matrix = {pixels, 0, depth, stride, 0, 0, 0};
        return new Launch(
                Gpu.current().module("checksums").function("measure_" + weights.precision()),
                new LaunchShape(Weights.blocks(pixels), 1, 1, THREADS, 0),
                List.of(at, KernelParameters.sizes(matrix, Optional.empty(), Activation.NONE), squares));
    }

    /** The struct {@code Addresses}. */
    private long[] addresses(Place place, Checks checks) {
        return new long[] {
            place.a,
            weights.packed(),
            weights.bias(),
            place.c,
            checks.measures.squares,
            bounds.map(DeviceMemory::address).orElse(0L),
            checks.blockSums.sums,
            checks.blockSums.arrivals,
            weights.rowSums(),
            checks.next.squares,
            checks.verdict,
            place.addend,
            place.splitK == 0 ? 0 : SplitK.partials(place.splitK),
            place.splitK
        };
    }

    /** The struct {@code Sizes}. */
    private int[] sizes(Place place, Checks checks) {
        int flags = KernelParameters.flags(weights.precision(), place.outputPrecision)
                | (checks.next.squares == 0 ? 0 : MEASURE_NEXT);
        int[] product = {
            place.rows,
            weights.columns(),
            weights.depth(),
            place.stride,
            place.outputStride,
            checks.measures.parts,
            flags
        };
        return KernelParameters.sizes(product, place.window, place.activation);
    }

    /** Frees the tolerances; nothing may use them any more. */
    @Override
    public void close() {
        bounds.ifPresent(DeviceMemory::close);
    }
}
