/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import java.util.List;
import java.util.stream.IntStream;

/**
 * By how much a decoder enlarges errors: of each lost prediction, the sum over the equations of |inverse| times the total weight of
 * the equation's parity.
 */
final class Amplification {
    private Amplification() {}

    /** The largest, over groups of all sizes, all losses of that number and all parities that solve for them. */
    static double of(Combinations code, int lost) {
        double largest = 0;
        List<int[]> parities = subsets(code.r(), lost);
        for (int members = lost; members <= code.k(); members++) {
            for (int[] losses : subsets(members, lost)) {
                for (int[] equations : parities) {
                    largest = Math.max(largest, of(code, members, losses, equations));
                }
            }
        }
        return largest;
    }

    private static double of(Combinations code, int members, int[] losses, int[] parities) {
        int n = losses.length;
        double[][] system = new double[n][n];
        double[][] inverse = new double[n][n];
        for (int row = 0; row < n; row++) {
            inverse[row][row] = 1;
            for (int column = 0; column < n; column++) {
                system[row][column] = code.weight(parities[row], losses[column], members);
            }
        }
        LinearSystem.solve(system, inverse);
        double largest = 0;
        for (double[] row : inverse) {
            double sum = 0;
            for (int equation = 0; equation < n; equation++) {
                sum += Math.abs(row[equation]) * code.total(parities[equation]);
            }
            largest = Math.max(largest, sum);
        }
        return largest;
    }

    private static List<int[]> subsets(int count, int size) {
        return IntStream.range(0, 1 << count)
                .filter(bits -> Integer.bitCount(bits) == size)
                .mapToObj(bits -> IntStream.range(0, count)
                        .filter(place -> ((bits >> place) & 1) == 1)
                        .toArray())
                .toList();
    }
}
