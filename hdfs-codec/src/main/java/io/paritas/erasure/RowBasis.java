/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A growing set of independent rows over a field, by Gaussian elimination. It records each reduced row as a combination of
 * the added ones. Not thread-safe.
 */
final class RowBasis {
    private final GaloisField field;
    private final int columns;
    private final List<Reduced> rows = new ArrayList<>();

    /** A row whose first non-zero entry is a 1 in column {@code pivot}, and the combination of added rows that it is. */
    private record Reduced(int pivot, int[] row, int[] combination) {}

    RowBasis(GaloisField field, int columns) {
        this.field = field;
        this.columns = columns;
    }

    /** The number of independent rows that were added. */
    int rank() {
        return rows.size();
    }

    /** Adds the row unless it depends on earlier ones. Returns whether it was added. */
    boolean add(int[] row) {
        int[] rest = row.clone();
        int[] combination = reduce(rest);
        int pivot = pivot(rest);
        if (pivot == columns) {
            return false;
        }
        combination[rank()] = 1;
        int scale = field.inverse(rest[pivot]);
        rows.add(new Reduced(pivot, scaled(rest, scale), scaled(combination, scale)));
        return true;
    }

    /** Returns the row's coefficients over the added rows, in the order of their addition; empty if it is independent. */
    Optional<int[]> coefficients(int[] row) {
        int[] rest = row.clone();
        int[] combination = reduce(rest);
        return pivot(rest) == columns ? Optional.of(Arrays.copyOf(combination, rank())) : Optional.empty();
    }

    /** The column of the first entry that is not zero; as many as there are columns if all are. */
    private int pivot(int[] row) {
        int pivot = 0;
        while (pivot < columns && row[pivot] == 0) {
            pivot++;
        }
        return pivot;
    }

    /** Reduces the row by the basis, and returns the part removed as a combination of the added rows. */
    private int[] reduce(int[] row) {
        int[] combination = new int[columns];
        for (Reduced reduced : rows) {
            int factor = row[reduced.pivot];
            if (factor != 0) {
                addMultiple(row, factor, reduced.row);
                addMultiple(combination, factor, reduced.combination);
            }
        }
        return combination;
    }

    private void addMultiple(int[] target, int factor, int[] source) {
        for (int j = 0; j < target.length; j++) {
            target[j] ^= field.multiply(factor, source[j]);
        }
    }

    private int[] scaled(int[] row, int factor) {
        int[] scaled = new int[row.length];
        addMultiple(scaled, factor, row);
        return scaled;
    }
}
