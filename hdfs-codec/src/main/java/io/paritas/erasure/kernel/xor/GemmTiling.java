/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/**
 * The tiling of the matrix form: the product with a matrix of bits computed as a GEMM (HotStorage'24, section 3), with "and"
 * for times and xor for plus. Bits are expanded to masks; tiles and register blocks are those of a GEMM of numbers.
 *
 * <p>The code does not depend on the values of the matrix. So one kernel and one tuning serve every matrix of a shape, and a
 * decoder costs as much as an encoder. The price: terms that a mask makes zero are added too.
 *
 * @param tile bytes of each strip computed together, so that a tile of all inputs stays cached
 * @param rows output strips computed together, 1, 2, 4 or 8: each loaded byte serves them all
 * @param vectors vectors of each of those rows computed together, 1 to 4: each loaded mask serves them all; rows and vectors
 *     have no effect without the Vector API
 * @param packing whether the tiles of all inputs are first copied to one place
 */
public record GemmTiling(int tile, int rows, int vectors, Packing packing) {
    /** Close to TVM's schedules, which pack; a block of rows fits the registers of the machine it was measured on. */
    public static final GemmTiling DEFAULT = new GemmTiling(512, 8, 2, Packing.ON);

    static final int MOST_ROWS = 8;
    static final int MOST_VECTORS = 4;

    /** Whether tiles are packed. */
    public enum Packing {
        OFF,
        ON
    }

    /** @throws IllegalArgumentException if the tile is empty, or no kernel has such a block */
    public GemmTiling {
        if (tile < 1) {
            throw new IllegalArgumentException("a tile must have at least 1 byte, got " + tile);
        }
        if (rows < 1 || rows > MOST_ROWS || Integer.bitCount(rows) != 1) {
            throw new IllegalArgumentException("a block must have 1, 2, 4 or 8 rows, got " + rows);
        }
        if (vectors < 1 || vectors > MOST_VECTORS) {
            throw new IllegalArgumentException("a block must have 1 to 4 vectors of each row, got " + vectors);
        }
    }
}
