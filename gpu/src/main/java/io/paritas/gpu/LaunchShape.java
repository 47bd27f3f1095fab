/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * The grid and the blocks that a kernel runs on.
 *
 * @param blocksX blocks of the grid in x
 * @param blocksY blocks of the grid in y
 * @param blocksZ blocks of the grid in z
 * @param threads threads of a block in x; 1 in y and z
 * @param sharedBytes dynamic shared memory of a block
 */
public record LaunchShape(int blocksX, int blocksY, int blocksZ, int threads, int sharedBytes) {
    private static final int MAX_THREADS = 1024;

    /** The most blocks in y, and in z. */
    public static final int MAX_BLOCKS_YZ = 65_535;

    /**
     * @throws IllegalArgumentException if a number is beyond what every GPU supports
     */
    public LaunchShape {
        if (blocksX < 1 || blocksY < 1 || blocksZ < 1 || blocksY > MAX_BLOCKS_YZ || blocksZ > MAX_BLOCKS_YZ) {
            throw new IllegalArgumentException("a grid must have 1 to " + Integer.MAX_VALUE + " blocks in x and 1 to "
                    + MAX_BLOCKS_YZ + " in y and z, got " + blocksX + ", " + blocksY + " and " + blocksZ);
        }
        if (threads < 1 || threads > MAX_THREADS || sharedBytes < 0) {
            throw new IllegalArgumentException(
                    "a block must have 1 to " + MAX_THREADS + " threads and no negative shared memory, got " + threads
                            + " threads and " + sharedBytes + " bytes");
        }
    }

    /**
     * Returns a shape with a thread for each element, in one row of blocks.
     *
     * @throws IllegalArgumentException if no grid is that large
     */
    public static LaunchShape forElements(long elements, int threads) {
        long blocks = (elements + threads - 1) / threads;
        if (blocks > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a launch must have at most " + Integer.MAX_VALUE + " blocks of"
                    + " " + threads
                    + " threads, got " + elements + " elements: launch it in parts");
        }
        return new LaunchShape((int) blocks, 1, 1, threads, 0);
    }

    /** Returns this shape with another number of blocks in y. */
    public LaunchShape withBlocksY(int blocks) {
        return new LaunchShape(blocksX, blocks, blocksZ, threads, sharedBytes);
    }

    /** Returns this shape with another amount of dynamic shared memory for each block. */
    public LaunchShape withSharedBytes(int bytes) {
        return new LaunchShape(blocksX, blocksY, blocksZ, threads, bytes);
    }
}
