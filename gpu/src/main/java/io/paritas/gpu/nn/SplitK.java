/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuSettings;

/**
 * Products with few tiles: the depth of each tile is divided among several blocks of threads (split-K), so that more multiprocessors have
 * something to do. The last one to finish adds up what all have computed, in the order of the depth, so the same product always has the same
 * bits. They may differ from those of the product of more rows.
 */
public final class SplitK {
    static final int MOST = 16;

    /** Of the depth, which is brought to a multiprocessor at a time. */
    private static final int STEP = 32;

    private static final int LEAST_STEPS = 32;
    private static final int LEAST_AT_A_TIME = 32;
    private static final int TILE_BYTES = Weights.BLOCK * Weights.BLOCK * Float.BYTES;

    private SplitK() {}

    /**
     * Into how many slices the depth is divided; 1 if it is not. To add a slice takes about as long as a step does, so the square root of the
     * steps is enough.
     */
    static int slices(Tile tile, Weights weights, int rows) {
        int steps = (weights.depth() + STEP - 1) / STEP;
        if (tile != Tile.SQUARE || steps < LEAST_STEPS || !GpuSettings.SPLIT_K.get()) {
            return 1;
        }
        long ofATile = atATime() / tile.count(weights, rows);
        return (int) Math.max(1, Math.min(Math.min(MOST, ofATile), (long) Math.sqrt(steps)));
    }

    /**
     * How much memory products on the current GPU need for slices; those that run one after another may share it. It begins with counters,
     * which are 0 before the first product and after each.
     */
    public static long bytes() {
        return (long) atATime() * (Integer.BYTES + TILE_BYTES);
    }

    /** Address of the sums of slices in this memory. */
    static long partials(long memory) {
        return memory + (long) atATime() * Integer.BYTES;
    }

    /** The most slices of a product: one for each multiprocessor. Small GPUs run several on each. */
    private static int atATime() {
        return Math.max(LEAST_AT_A_TIME, Gpu.current().multiprocessors());
    }
}
