/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuSettings;
import io.paritas.gpu.LaunchShape;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a block of threads computes of C. The larger it is, the less often A and B are read; the smaller, the more multiprocessors
 * have something to do. C has the same bits in all of them, unless its depth is divided ({@link SplitK}).
 */
enum Tile {
    /** 64 × 64: for few rows. */
    SQUARE(64, 64),
    /** 128 × 32: for few columns. */
    NARROW(128, 32),
    /** 128 × 64. */
    TALL(128, 64),
    /** 128 × 128. */
    WIDE(128, 128),
    /** 128 × 256 by the matrix instruction wgmma. */
    WARPGROUP_WIDE(128, 256, Tile.WARPGROUPS, Tile.STAGES_BYTES),
    /** 256 × 128 by the matrix instruction wgmma. */
    WARPGROUP_TALL(256, 128, Tile.WARPGROUPS, Tile.STAGES_BYTES);

    /** Threads of two warpgroups. */
    private static final int WARPGROUPS = 256;

    /** Shared memory for eight stages of 32 columns of A and rows of B. */
    private static final int STAGES_BYTES = 8 * (128 + 256) * 32 * Short.BYTES;

    private final int height;
    private final int width;
    private final int threads;
    private final int sharedBytes;

    Tile(int height, int width) {
        this(height, width, CheckedWeights.THREADS, 0);
    }

    Tile(int height, int width, int threads, int sharedBytes) {
        this.height = height;
        this.width = width;
        this.threads = threads;
        this.sharedBytes = sharedBytes;
    }

    /** Returns the one for a product: the largest that fits C, if all multiprocessors have one to compute. */
    static Tile of(Weights weights, Scheme scheme, int rows) {
        Gpu gpu = Gpu.current();
        int processors = gpu.multiprocessors();
        boolean wgmma = gpu.hasWgmma() && GpuSettings.WGMMA.get();
        return Stream.of(WARPGROUP_WIDE, WARPGROUP_TALL, WIDE, NARROW, TALL)
                .filter(tile -> (wgmma || !tile.usesWgmma())
                        && tile.supports(weights.precision(), scheme)
                        && tile.fits(weights)
                        && tile.count(weights, rows) >= tile.least(processors))
                .findFirst()
                .orElse(SQUARE);
    }

    /** Whether only GPUs with {@link Gpu#hasWgmma} run it. */
    boolean usesWgmma() {
        return this == WARPGROUP_WIDE || this == WARPGROUP_TALL;
    }

    /** Whether there is a kernel: of the tiles for some shapes there are those of schemes that plans choose and registers suffice for. */
    boolean supports(Precision precision, Scheme scheme) {
        return switch (this) {
            case SQUARE, TALL -> true;
            case NARROW ->
                scheme == Scheme.NONE
                        || scheme == Scheme.GLOBAL
                        || scheme == Scheme.THREAD
                        || scheme == Scheme.TWO_SIDED;
            case WIDE -> scheme == Scheme.NONE || scheme == Scheme.GLOBAL;
            case WARPGROUP_WIDE, WARPGROUP_TALL -> precision == Precision.HALF && WIDE.supports(precision, scheme);
        };
    }

    /** Whether it wastes no more columns than others. */
    private boolean fits(Weights weights) {
        return switch (this) {
            case SQUARE, TALL -> true;
            case NARROW -> weights.columns() <= width;
            case WIDE, WARPGROUP_TALL -> weights.blocks() % 2 == 0;
            case WARPGROUP_WIDE -> weights.blocks() % 4 == 0;
        };
    }

    /** How many are enough for so many multiprocessors: as wgmma computes about twice as fast, it may leave half of them idle. */
    private int least(int processors) {
        return usesWgmma() ? processors / 2 : processors;
    }

    /** How many C has. */
    long count(Weights weights, int rows) {
        LaunchShape shape = shape(weights, rows, 1);
        return (long) shape.blocksX() * shape.blocksY();
    }

    /** The grid of a product whose depth is divided into so many slices. */
    LaunchShape shape(Weights weights, int rows, int slices) {
        return new LaunchShape(blocks(rows, height), blocks(weights.columns(), width), slices, threads, sharedBytes);
    }

    private static int blocks(int count, int size) {
        return (count + size - 1) / size;
    }

    /** The module of the kernels for products of a kind, such as {@code gemm_half}. */
    String module(String product) {
        return product + "_" + name().toLowerCase(Locale.ROOT);
    }
}
