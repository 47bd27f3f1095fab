/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * Some rows of a matrix in an array.
 *
 * @param values the array
 * @param at index of the first value
 * @param stride distance between rows
 * @param rows how many, 1 to {@link Tiles#ROWS} of a tile
 */
record MatrixPart(float[] values, int at, int stride, int rows) {

    /** Index of the first value of a row. */
    int at(int row) {
        return at + row * stride;
    }
}
