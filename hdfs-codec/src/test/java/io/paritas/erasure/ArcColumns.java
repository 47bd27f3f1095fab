/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Columns (1, a<sub>1</sub>, …, a<sub>r−1</sub>) of a superregular matrix, a<sub>i</sub> ≠ 0 of bounded degree.
 *
 * <p>All minors of a matrix are non-zero exactly if its columns and the unit vectors are an <i>arc</i>: any r of them are
 * independent. So a chosen column, together with any r − 2 of the other columns and unit vectors, spans a hyperplane that
 * no further column may lie in. For each candidate the number of such hyperplanes is kept.
 */
final class ArcColumns implements ColumnSet {
    private static final GaloisField FIELD = GaloisField.bytes();
    private static final int[][] PRODUCTS = IntStream.range(0, 256)
            .mapToObj(
                    a -> IntStream.range(0, 256).map(b -> FIELD.multiply(a, b)).toArray())
            .toArray(int[][]::new);

    private final int r;
    /** The largest entry of each row; 1 in the first. */
    private final int[] limits;

    private final int[] hyperplanes;
    private final int[][] chosen;

    /**
     * @param k how many columns
     * @param degrees the highest degree in each row but the first
     */
    ArcColumns(int k, int... degrees) {
        r = degrees.length + 1;
        limits = IntStream.concat(IntStream.of(1), Arrays.stream(degrees).map(degree -> (2 << degree) - 1))
                .toArray();
        hyperplanes = new int[Arrays.stream(limits).reduce(1, (a, b) -> a * b)];
        chosen = new int[k][];
    }

    @Override
    public int candidates() {
        return hyperplanes.length;
    }

    @Override
    public boolean admits(int place, int candidate) {
        return hyperplanes[candidate] == 0;
    }

    @Override
    public void put(int place, int candidate) {
        int[] column = column(candidate);
        count(column, 1);
        chosen[place] = column;
    }

    @Override
    public void clear(int place) {
        int[] column = chosen[place];
        chosen[place] = null;
        count(column, -1);
    }

    /** Mixed radix, the last row least significant. */
    private int[] column(int candidate) {
        int[] column = new int[r];
        int rest = candidate;
        for (int i = r - 1; i >= 0; i--) {
            column[i] = 1 + rest % limits[i];
            rest /= limits[i];
        }
        return column;
    }

    private void count(int[] column, int change) {
        List<int[]> others = new ArrayList<>();
        IntStream.range(0, r)
                .mapToObj(i -> IntStream.range(0, r).map(j -> i == j ? 1 : 0).toArray())
                .forEach(others::add);
        Arrays.stream(chosen).filter(other -> other != null).forEach(others::add);
        int[][] spanning = new int[r - 1][];
        spanning[0] = column;
        count(spanning, 1, others, 0, change);
    }

    private void count(int[][] spanning, int size, List<int[]> others, int from, int change) {
        if (size == spanning.length) {
            countIn(normal(spanning), change);
            return;
        }
        for (int next = from; next < others.size(); next++) {
            spanning[size] = others.get(next);
            count(spanning, size + 1, others, next + 1, change);
        }
    }

    /** The vector that is orthogonal to r − 1 independent ones: its entries are their maximal minors. */
    private int[] normal(int[][] vectors) {
        return IntStream.range(0, r)
                .map(left -> determinant(
                        vectors, 0, IntStream.range(0, r).filter(j -> j != left).toArray()))
                .toArray();
    }

    /** Laplace's expansion; in characteristic 2 there are no signs. */
    private static int determinant(int[][] rows, int row, int[] columns) {
        if (columns.length == 1) {
            return rows[row][columns[0]];
        }
        int sum = 0;
        for (int without : columns) {
            if (rows[row][without] != 0) {
                int[] others = Arrays.stream(columns).filter(j -> j != without).toArray();
                sum ^= PRODUCTS[rows[row][without]][determinant(rows, row + 1, others)];
            }
        }
        return sum;
    }

    /** Counts the hyperplane for all candidates that lie in it: given all entries but the last, the last one follows. */
    private void countIn(int[] normal, int change) {
        int last = limits[r - 1];
        int[] toLast = PRODUCTS[normal[r - 1] == 0 ? 0 : FIELD.inverse(normal[r - 1])];
        int prefixes = hyperplanes.length / last;
        int[] entries = new int[r - 1];
        Arrays.fill(entries, 1);
        int sum = Arrays.stream(normal, 0, r - 1).reduce(0, (a, b) -> a ^ b);
        for (int prefix = 0; prefix < prefixes; prefix++) {
            if (normal[r - 1] != 0) {
                int entry = toLast[sum];
                if (entry != 0 && entry <= last) {
                    hyperplanes[prefix * last + entry - 1] += change;
                }
            } else if (sum == 0) {
                for (int entry = 1; entry <= last; entry++) {
                    hyperplanes[prefix * last + entry - 1] += change;
                }
            }
            sum = advance(entries, sum, normal);
        }
    }

    private int advance(int[] entries, int sum, int[] normal) {
        int next = sum;
        for (int i = r - 2; i >= 0; i--) {
            next ^= PRODUCTS[normal[i]][entries[i]];
            entries[i] = entries[i] == limits[i] ? 1 : entries[i] + 1;
            next ^= PRODUCTS[normal[i]][entries[i]];
            if (entries[i] != 1) {
                break;
            }
        }
        return next;
    }

    @Override
    public int[][] rows(int[] candidates) {
        int[][] columns = Arrays.stream(candidates)
                .filter(candidate -> candidate >= 0)
                .mapToObj(this::column)
                .toArray(int[][]::new);
        return IntStream.range(0, r)
                .mapToObj(i ->
                        Arrays.stream(columns).mapToInt(column -> column[i]).toArray())
                .toArray(int[][]::new);
    }
}
