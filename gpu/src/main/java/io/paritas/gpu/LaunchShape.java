/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * How many threads a kernel runs on.
 *
 * @param blocksX the blocks of the grid, in x; likewise in y and z
 * @param threads the threads of a block, in x; 1 in y and z
 * @param sharedBytes the dynamic shared memory of a block
 */
public record LaunchShape(int blocksX, int blocksY, int blocksZ, int threads, int sharedBytes) {
    private static final int MAX_THREADS = 1024;
    private static final int MAX_BLOCKS_YZ = 65_535;

    /**
     * @throws IllegalArgumentException if a number is outside of what every GPU can do
     */
    public LaunchShape {
        if (blocksX < 1 || blocksY < 1 || blocksZ < 1 || blocksY > MAX_BLOCKS_YZ || blocksZ > MAX_BLOCKS_YZ) {
            throw new IllegalArgumentException("A grid has 1.." + Integer.MAX_VALUE + " blocks in x and 1.."
                    + MAX_BLOCKS_YZ + " in y and z; got " + blocksX + ", " + blocksY + " and " + blocksZ);
        }
        if (threads < 1 || threads > MAX_THREADS || sharedBytes < 0) {
            throw new IllegalArgumentException(
                    "A block has 1.." + MAX_THREADS + " threads and some or no shared memory; got " + threads
                            + " threads and " + sharedBytes + " bytes");
        }
    }

    /**
     * One thread for each element, in as many blocks of a row as it takes.
     *
     * @throws IllegalArgumentException if no grid is that large
     */
    public static LaunchShape forElements(long elements, int threads) {
        long blocks = (elements + threads - 1) / threads;
        if (blocks > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("A launch has at most " + Integer.MAX_VALUE + " blocks of " + threads
                    + " threads; got " + elements + " elements. Launch it in parts");
        }
        return new LaunchShape((int) blocks, 1, 1, threads, 0);
    }

    /** The same with so many blocks in y. */
    public LaunchShape withBlocksY(int blocks) {
        return new LaunchShape(blocksX, blocks, blocksZ, threads, sharedBytes);
    }

    /** The same with so much dynamic shared memory for each block. */
    public LaunchShape withSharedBytes(int bytes) {
        return new LaunchShape(blocksX, blocksY, blocksZ, threads, bytes);
    }
}
