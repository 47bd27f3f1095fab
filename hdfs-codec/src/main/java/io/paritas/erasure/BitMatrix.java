/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.BitSet;

/**
 * An immutable matrix over GF(2): a {@link Matrix} over GF(2<sup>w</sup>) with each entry expanded to the w×w block that
 * multiplies by it.
 *
 * <p>Row b, column c of the block of an entry e is bit b of e · α<sup>c</sup>, least significant bit first, so that
 * (bits of e · x) = block(e) · (bits of x). Blömer et al., "An XOR-based erasure-resilient coding scheme", 1995.
 */
final class BitMatrix {
    private final int columns;
    private final BitSet[] rows;

    private BitMatrix(int columns, BitSet[] rows) {
        this.columns = columns;
        this.rows = rows;
    }

    /** The expansion of a matrix: w times as many rows and columns. */
    public static BitMatrix of(Matrix matrix) {
        GaloisField field = matrix.field();
        int w = field.w();
        BitSet[] rows = new BitSet[matrix.rows() * w];
        for (int row = 0; row < rows.length; row++) {
            rows[row] = new BitSet(matrix.columns() * w);
            for (int column = 0; column < matrix.columns() * w; column++) {
                int product = field.multiply(matrix.get(row / w, column / w), field.power(column % w));
                rows[row].set(column, (product >> row % w & 1) != 0);
            }
        }
        return new BitMatrix(matrix.columns() * w, rows);
    }

    /** How many rows. */
    public int rows() {
        return rows.length;
    }

    /** How many columns. */
    public int columns() {
        return columns;
    }

    /** The bit in this row and column. */
    public boolean get(int row, int column) {
        return rows[row].get(column);
    }

    /** How many bits are set: the xors of the product, plus one for each row that is not zero. */
    public int ones() {
        int ones = 0;
        for (BitSet row : rows) {
            ones += row.cardinality();
        }
        return ones;
    }
}
