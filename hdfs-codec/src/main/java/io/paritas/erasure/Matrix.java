/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An immutable matrix over GF(2<sup>w</sup>). */
public final class Matrix {
    /** An entry as a function of its place. */
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
     * The matrix with these rows, which are copied.
     *
     * @throws IllegalArgumentException if there is no row, rows differ in length, or an entry is not in the field
     */
    public static Matrix ofRows(GaloisField field, int[]... rows) {
        if (rows.length == 0) {
            throw new IllegalArgumentException("A matrix has at least one row; got none");
        }
        int columns = rows[0].length;
        for (int[] row : rows) {
            if (row.length != columns) {
                throw new IllegalArgumentException(
                        "The rows of a matrix are equally long; got " + columns + " and " + row.length + " entries");
            }
            for (int entry : row) {
                if (entry < 0 || entry >= field.size()) {
                    throw new IllegalArgumentException(
                            "An entry is an element of " + field + ", 0.." + (field.size() - 1) + "; got " + entry);
                }
            }
        }
        return new Matrix(field, columns, Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new));
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

    /** How many rows. */
    public int rows() {
        return entries.length;
    }

    /** How many columns. */
    public int columns() {
        return columns;
    }

    /** The entry in this row and column. */
    public int get(int row, int column) {
        return entries[row][column];
    }

    /** All entries, row by row, in new arrays. */
    public int[][] toRows() {
        return Arrays.stream(entries).map(int[]::clone).toArray(int[][]::new);
    }

    /** The rows with these indices, in this order. */
    Matrix pickRows(int... indices) {
        return new Matrix(
                field, columns, Arrays.stream(indices).mapToObj(i -> entries[i]).toArray(int[][]::new));
    }

    /** This matrix with the other's rows below it. */
    Matrix above(Matrix below) {
        return of(field, rows() + below.rows(), columns, (i, j) -> i < rows() ? get(i, j) : below.get(i - rows(), j));
    }

    /** This · other. */
    Matrix times(Matrix other) {
        return of(field, rows(), other.columns, (i, j) -> IntStream.range(0, columns)
                .map(l -> field.multiply(get(i, l), other.get(l, j)))
                .reduce(0, (a, b) -> a ^ b));
    }

    /** This · units, symbol by symbol: what encoding with a matrix over bytes means. Slow; kernels are compared with it. */
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

    /**
     * The inverse, by Gauss and Jordan's elimination.
     *
     * @throws ArithmeticException if the matrix is singular
     */
    Matrix inverse() {
        int size = rows();
        int[][] left = toRows();
        int[][] right = identity(field, size).entries;
        for (int column = 0; column < size; column++) {
            int pivot = pivotRow(left, column)
                    .orElseThrow(() -> new ArithmeticException("A singular matrix has no inverse: " + this));
            swap(left, column, pivot);
            swap(right, column, pivot);
            int scale = field.inverse(left[column][column]);
            scale(left[column], scale);
            scale(right[column], scale);
            for (int row = 0; row < size; row++) {
                int factor = left[row][column];
                if (row != column && factor != 0) {
                    addMultiple(left[row], factor, left[column]);
                    addMultiple(right[row], factor, right[column]);
                }
            }
        }
        return new Matrix(field, size, right);
    }

    private static OptionalInt pivotRow(int[][] rows, int column) {
        return IntStream.range(column, rows.length)
                .filter(row -> rows[row][column] != 0)
                .findFirst();
    }

    private static void swap(int[][] rows, int a, int b) {
        int[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private void scale(int[] row, int factor) {
        Arrays.setAll(row, j -> field.multiply(row[j], factor));
    }

    private void addMultiple(int[] target, int factor, int[] source) {
        Arrays.setAll(target, j -> target[j] ^ field.multiply(factor, source[j]));
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
