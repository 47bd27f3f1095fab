/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.Locale;

/**
 * What a block of threads computes of C. The larger it is, the less often A and B are read; the smaller, the more multiprocessors
 * have something to do. C has the same bits in all of them.
 */
enum Tile {
    /** 64 × 64: for few rows; of {@link Precision#SINGLE}, for all. */
    SQUARE(64, 64),
    /** 128 × 32: for few columns. */
    NARROW(128, 32),
    /** 128 × 64. */
    TALL(128, 64),
    /** 128 × 128, for schemes that need few registers. */
    WIDE(128, 128);

    private final int height;
    private final int width;

    Tile(int height, int width) {
        this.height = height;
        this.width = width;
    }

    /** Returns the one for a product: the largest that fits C, if all multiprocessors have one to compute. */
    static Tile of(Weights weights, Scheme scheme, int rows) {
        if (weights.precision() == Precision.SINGLE) {
            return SQUARE;
        }
        int processors = Gpu.current().multiprocessors();
        if (weights.columns() <= NARROW.width) {
            return NARROW.count(weights, rows) >= processors ? NARROW : SQUARE;
        }
        if (WIDE.supports(scheme) && weights.blocks() % 2 == 0 && WIDE.count(weights, rows) >= processors) {
            return WIDE;
        }
        return TALL.count(weights, rows) >= processors ? TALL : SQUARE;
    }

    /** Whether there is a kernel. */
    boolean supports(Scheme scheme) {
        return this != WIDE || scheme == Scheme.NONE || scheme == Scheme.GLOBAL;
    }

    private long count(Weights weights, int rows) {
        LaunchShape shape = shape(weights, rows);
        return (long) shape.blocksX() * shape.blocksY();
    }

    /** The grid of a product. */
    LaunchShape shape(Weights weights, int rows) {
        return new LaunchShape(blocks(rows, height), blocks(weights.columns(), width), 1, CheckedWeights.THREADS, 0);
    }

    private static int blocks(int count, int size) {
        return (count + size - 1) / size;
    }

    /** The kernels' module, for products of a kind and a precision such as {@code gemm_half}. */
    String module(String product, Precision precision) {
        return precision == Precision.HALF ? product + "_" + name().toLowerCase(Locale.ROOT) : product;
    }
}
