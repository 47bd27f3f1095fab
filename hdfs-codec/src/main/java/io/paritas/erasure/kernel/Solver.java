/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Arrays;
import java.util.Optional;

/** Solves small systems of equations over GF(2<sup>8</sup>)/0x11d, for the optimiser. */
final class Solver {
    private Solver() {}

    /** The X with S · X = D, by Gauss and Jordan's elimination; nothing if the square matrix S is singular. */
    static Optional<int[][]> solve(int[][] s, int[][] d) {
        int[][] left = copy(s);
        int[][] right = copy(d);
        for (int column = 0; column < left.length; column++) {
            int pivot = column;
            while (pivot < left.length && left[pivot][column] == 0) {
                pivot++;
            }
            if (pivot == left.length) {
                return Optional.empty();
            }
            swap(left, pivot, column);
            swap(right, pivot, column);
            int scale = MultiplicationTable.inverse(left[column][column]);
            scale(left[column], scale);
            scale(right[column], scale);
            for (int row = 0; row < left.length; row++) {
                int factor = left[row][column];
                if (row != column && factor != 0) {
                    addMultiple(left[row], factor, left[column]);
                    addMultiple(right[row], factor, right[column]);
                }
            }
        }
        return Optional.of(right);
    }

    private static int[][] copy(int[][] rows) {
        return Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new);
    }

    private static void swap(int[][] rows, int a, int b) {
        int[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private static void scale(int[] row, int factor) {
        Arrays.setAll(row, j -> MultiplicationTable.PRODUCT[factor][row[j]]);
    }

    private static void addMultiple(int[] target, int factor, int[] source) {
        Arrays.setAll(target, j -> target[j] ^ MultiplicationTable.PRODUCT[factor][source[j]]);
    }
}
