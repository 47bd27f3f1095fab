/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.stream.Collectors;

/** An immutable matrix over GF(2<sup>w</sup>). */
@PublicApi
public final class Matrix {
    /** An entry as a function of its row and column. */
    interface Entry {
        int at(int row, int column);
    }

    private final GaloisField field;
    private final int columns;
    private final int[][] entries;

    private Matrix(GaloisField field, int columns, int[][] entries) {
        this.field = field;
        this.columns = columns;
        this.entries = entries;
    }

    /**
     * Creates the matrix with these rows. Copies them.
     *
     * @throws IllegalArgumentException if there is no row, rows differ in length, or an entry is not in the field
     */
    public static Matrix ofRows(GaloisField field, int[]... rows) {
        if (rows.length == 0) {
            throw new IllegalArgumentException("a matrix must have at least one row, got none");
        }
        int columns = rows[0].length;
        for (int[] row : rows) {
            if (row.length != columns) {
                throw new IllegalArgumentException("the rows of a matrix must be equally long, got " + columns + " and "
                        + row.length + " entries");
            }
            for (int entry : row) {
                if (entry < 0 || entry >= field.size()) {
                    throw new IllegalArgumentException("an entry must be an element of " + field + ", 0.."
                            + (field.size() - 1) + ", got " + entry);
                }
            }
        }
        return new Matrix(field, columns, copy(rows));
    }

    static Matrix of(GaloisField field, int rows, int columns, Entry entry) {
        int[][] entries = new int[rows][columns];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                entries[i][j] = entry.at(i, j);
            }
        }
        return new Matrix(field, columns, entries);
    }

    static Matrix identity(GaloisField field, int size) {
        return of(field, size, size, (i, j) -> i == j ? 1 : 0);
    }

    /** The field of the entries. */
    public GaloisField field() {
        return field;
    }

    /** The number of rows. */
    public int rows() {
        return entries.length;
    }

    /** The number of columns. */
    public int columns() {
        return columns;
    }

    /** The entry in this row and column. */
    public int get(int row, int column) {
        return entries[row][column];
    }

    /** All entries, row by row, in new arrays. */
    public int[][] toRows() {
        return copy(entries);
    }

    private static int[][] copy(int[][] rows) {
        int[][] copy = new int[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            copy[i] = rows[i].clone();
        }
        return copy;
    }

    /** This matrix with the other's rows below it. */
    Matrix above(Matrix below) {
        return of(field, rows() + below.rows(), columns, (i, j) -> i < rows() ? get(i, j) : below.get(i - rows(), j));
    }

    /** This · units, symbol by symbol: the definition of encoding. Slow; kernels are compared with it. */
    byte[][] times(byte[][] units) {
        byte[][] product = new byte[rows()][units[0].length];
        for (int i = 0; i < rows(); i++) {
            for (int j = 0; j < columns; j++) {
                for (int x = 0; x < product[i].length; x++) {
                    product[i][x] ^= (byte) field.multiply(get(i, j), units[j][x] & 0xff);
                }
            }
        }
        return product;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Matrix that && field == that.field && Arrays.deepEquals(entries, that.entries);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(entries);
    }

    @Override
    public String toString() {
        return Arrays.stream(entries).map(Arrays::toString).collect(Collectors.joining(", ", "[", "]"));
    }
}
