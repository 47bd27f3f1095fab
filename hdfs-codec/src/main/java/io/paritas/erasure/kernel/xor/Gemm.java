/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/**
 * How the product of a matrix of bits is computed as the matrix product that it is (Hu, Kosaian and Rashmi, "Rethinking
 * erasure-coding libraries in the age of optimized machine learning", HotStorage'24, section 3): with "and" for times and
 * xor for plus, bits expanded to masks of zeros or ones, in tiles and register blocks as for numbers.
 *
 * <p>The code never looks at the values of the matrix: one kernel, and one tuning, serves every matrix of its shape, and
 * a decoder costs as much as an encoder. The price is that it also adds what a mask makes zero.
 *
 * @param tile the bytes of each strip that are computed together, so that a tile of all inputs stays cached
 * @param rows how many output strips are computed together, 1, 2, 4 or 8: each byte that is loaded serves them all
 * @param vectors how many vectors of each of those rows are computed together, 1 to 4: each mask that is loaded serves
 *     them all; without the Vector API it means nothing, as the rows
 * @param packing whether the tile of each input is first copied to where all tiles lie together
 */
public record Gemm(int tile, int rows, int vectors, Packing packing) {
    /** What TVM's schedules, which pack, came close to; the block of rows is what this machine's registers hold. */
    public static final Gemm DEFAULT = new Gemm(512, 8, 2, Packing.ON);

    /** Whether tiles are packed. */
    public enum Packing {
        OFF,
        ON
    }

    /** @throws IllegalArgumentException if the tile is empty, or no kernel has such a block */
    public Gemm {
        if (tile < 1) {
            throw new IllegalArgumentException("A tile has at least 1 byte; got " + tile);
        }
        if (rows < 1 || rows > 8 || Integer.bitCount(rows) != 1) {
            throw new IllegalArgumentException("A block has 1, 2, 4 or 8 rows; got " + rows);
        }
        if (vectors < 1 || vectors > 4) {
            throw new IllegalArgumentException("A block has 1 to 4 vectors of each row; got " + vectors);
        }
    }
}
