/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Sums of a matrix's rows over GF(2) that all rows are sums of. Immutable. */
final class RowBasis {
    /** The search looks at every sum of rows. */
    static final int MOST_ROWS = 8;

    private final int[][] rows;
    /** For each member the rows that it is the sum of, as bits. */
    private final int[] members;

    private RowBasis(int[][] rows, int[] members) {
        this.rows = rows;
        this.members = members;
    }

    /** The rows themselves. */
    static RowBasis ofEachRow(int[][] rows) {
        return new RowBasis(
                rows, IntStream.range(0, rows.length).map(row -> 1 << row).toArray());
    }

    /**
     * The basis that needs the fewest products. Greedy is optimal: independent sets are a matroid.
     *
     * @param rows at most {@value #MOST_ROWS}
     */
    static RowBasis withFewestProducts(int[][] rows) {
        int[] sets = IntStream.range(1, 1 << rows.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(set -> products(sum(rows, set)))
                        .thenComparingInt(Integer::bitCount))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] basis = new int[rows.length];
        int[] reduced = new int[rows.length];
        int size = 0;
        for (int set : sets) {
            int rest = set;
            for (int i = 0; i < size; i++) {
                rest = Math.min(rest, rest ^ reduced[i]);
            }
            if (rest != 0) {
                reduced[size] = rest;
                basis[size++] = set;
            }
        }
        return new RowBasis(rows, basis);
    }

    private static int[] sum(int[][] rows, int set) {
        int[] sum = new int[rows[0].length];
        for (int row = 0; row < rows.length; row++) {
            if ((set >> row & 1) != 0) {
                int[] term = rows[row];
                Arrays.setAll(sum, j -> sum[j] ^ term[j]);
            }
        }
        return sum;
    }

    private static int products(int[] row) {
        return (int) Arrays.stream(row).filter(c -> c > 1).distinct().count();
    }

    /** The members: their coefficients. */
    int[][] sums() {
        return Arrays.stream(members).mapToObj(set -> sum(rows, set)).toArray(int[][]::new);
    }

    /** For each row the members that add up to it, as bits. */
    int[] combinations() {
        return IntStream.range(0, rows.length).map(this::combination).toArray();
    }

    private int combination(int row) {
        if (members[row] == 1 << row) {
            return 1 << row; // also of more rows than could be searched
        }
        for (int set = 1; set < 1 << members.length; set++) {
            int sum = 0;
            for (int i = 0; i < members.length; i++) {
                sum ^= (set >> i & 1) * members[i];
            }
            if (sum == 1 << row) {
                return set;
            }
        }
        throw new IllegalStateException("no basis: " + Arrays.toString(members));
    }
}
