/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

/**
 * The arithmetic of one register tile: what a thread is on a GPU (thesis, 4.2.1), up to {@value #ROWS} rows of A times one
 * panel of B. Arrays are read from an index on; a stride is the distance between rows. Sums over a tile come back by lanes,
 * to be folded once for as many of them as belong together. Stateless and thread-safe.
 */
interface Tiles {
    /** Rows of a whole tile. */
    int ROWS = 6;

    /** Values of a vector: the width of a panel is one or two of them. */
    int lanes();

    /**
     * C += A · B.
     *
     * @param rows of A and C, 1 to {@link #ROWS}
     * @param b a panel: for each step of the depth, {@code vectors} times {@link #lanes()} values
     * @param vectors 1 or 2
     */
    void multiply(
            float[] a,
            int aAt,
            int aStride,
            int rows,
            float[] b,
            int bAt,
            int vectors,
            int depth,
            float[] c,
            int cAt,
            int cStride);

    /** Adds all values of A · B, every product computed once more, to single accumulators: lanes += sums. */
    void replicate(
            float[] a, int aAt, int aStride, int rows, float[] b, int bAt, int vectors, int depth, float[] lanes);

    /** One-sided check: lanes += the sums over the rows of A times a column of checksums. */
    void checksum(float[] a, int aAt, int aStride, int rows, float[] column, int columnAt, int depth, float[] lanes);

    /** Sums of A: sums[k] = the sum over the rows; lanes += the sum of all squares. */
    void columns(float[] a, int aAt, int aStride, int rows, int depth, float[] sums, int sumsAt, float[] lanes);

    /** The sum of a tile of C: lanes -= sums. */
    void subtract(float[] c, int cAt, int cStride, int rows, int vectors, float[] lanes);
}
