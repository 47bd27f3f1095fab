/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * The arithmetic of one register tile, which a thread computes on a GPU (thesis, 4.2.1): up to {@value #ROWS} rows of A times
 * one panel of B. Sums over a tile are added by lanes, so that several are folded into one number at once. Stateless and
 * thread-safe.
 */
interface Tiles {
    /** Rows of a full tile. */
    int ROWS = 6;

    /** Values of a vector; a panel is one or two vectors wide. */
    int lanes();

    /** C += A · B. */
    void multiply(MatrixPart a, PanelPart b, MatrixPart c);

    /** Computes every product of A · B again and adds them all: lanes += the sum of A · B. */
    void replicate(MatrixPart a, PanelPart b, float[] lanes);

    /**
     * The one-sided check: lanes += the sum over the rows of A times a column of checksums.
     *
     * @param column the checksums, from {@code columnAt} on
     */
    void checksum(MatrixPart a, float[] column, int columnAt, int depth, float[] lanes);

    /** Sums of A: sums[sumsAt + k] = the sum over the rows; lanes += the sum of all squares. */
    void columns(MatrixPart a, int depth, float[] sums, int sumsAt, float[] lanes);

    /** The sum of a tile of C: lanes -= the sum of {@code vectors} vectors of each row. */
    void subtract(MatrixPart c, int vectors, float[] lanes);
}
