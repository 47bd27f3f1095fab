/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

/** A small system of linear equations, solved by Gaussian elimination with pivoting. */
final class LinearSystem {

    private LinearSystem() {}

    /**
     * Solves system · x = sums for every column of the sums at once.
     *
     * @param system square and regular; overwritten
     * @param sums a row for each equation; overwritten by the solution
     */
    static void solve(double[][] system, double[][] sums) {
        int n = system.length;
        for (int column = 0; column < n; column++) {
            int pivot = column;
            for (int row = column + 1; row < n; row++) {
                pivot = Math.abs(system[row][column]) > Math.abs(system[pivot][column]) ? row : pivot;
            }
            swap(system, column, pivot);
            swap(sums, column, pivot);
            scale(sums[column], 1 / system[column][column]);
            scale(system[column], 1 / system[column][column]);
            for (int row = 0; row < n; row++) {
                if (row != column) {
                    double factor = system[row][column];
                    subtract(system[row], system[column], factor);
                    subtract(sums[row], sums[column], factor);
                }
            }
        }
    }

    private static void swap(double[][] rows, int a, int b) {
        double[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private static void scale(double[] row, double factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] *= factor;
        }
    }

    private static void subtract(double[] row, double[] other, double factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] -= factor * other[i];
        }
    }
}
