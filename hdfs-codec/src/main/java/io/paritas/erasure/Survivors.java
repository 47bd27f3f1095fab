/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Optional;

/**
 * The units of a stripe that are left, and the units that they determine.
 *
 * <p>A unit is a row of the identity above the generator. The first independent units that are left form a basis. A missing
 * unit can be reconstructed if and only if its row is a combination of theirs; only those with a non-zero coefficient are
 * read. Units are taken by the number of data units they combine: data units first, local parity before global parity. So
 * a single loss in a group needs only that group. If any k units are independent, as with an MDS code, the basis is the
 * first k that are left.
 *
 * <p>Loops, because streams would cost a short-lived JVM more than its first stripe.
 */
final class Survivors {
    private final GaloisField field;
    private final int[][] rows;
    private final int[] left;
    /** As many as the rank. */
    private final int[] basisUnits;

    private final RowBasis basis;

    Survivors(Matrix generator, Erasures missing) {
        int k = generator.columns();
        field = generator.field();
        rows = Matrix.identity(field, k).above(generator).toRows();
        left = left(missing);
        basis = new RowBasis(field, k);
        basisUnits = new int[k];
        for (int weight = 1; weight <= k; weight++) {
            for (int unit : left) {
                if (basis.rank() < k && weight(unit) == weight && basis.add(rows[unit])) {
                    basisUnits[basis.rank() - 1] = unit;
                }
            }
        }
    }

    private int[] left(Erasures missing) {
        int[] units = new int[rows.length];
        int count = 0;
        for (int unit = 0; unit < rows.length; unit++) {
            if (!missing.contains(unit)) {
                units[count++] = unit;
            }
        }
        return Arrays.copyOf(units, count);
    }

    private int weight(int unit) {
        int weight = 0;
        for (int entry : rows[unit]) {
            weight += entry == 0 ? 0 : 1;
        }
        return weight;
    }

    /** How many independent units are left; k of them determine everything. */
    int rank() {
        return basis.rank();
    }

    /** Returns those of the units that are not determined by the units left. */
    Erasures outOfReach(Erasures units) {
        return Erasures.of(units.stream()
                .filter(unit -> basis.coefficients(rows[unit]).isEmpty())
                .toArray());
    }

    /** Returns the units left that others determine. */
    Erasures redundant() {
        Erasures needed = Erasures.of(Arrays.copyOf(basisUnits, rank()));
        return Erasures.of(
                Arrays.stream(left).filter(unit -> !needed.contains(unit)).toArray());
    }

    /** Returns the product that makes these units; empty if one of them is out of reach. */
    Optional<Product> product(Erasures wanted) {
        int[] units = wanted.toArray();
        int[][] coefficients = new int[units.length][];
        for (int i = 0; i < units.length; i++) {
            Optional<int[]> row = basis.coefficients(rows[units[i]]);
            if (row.isEmpty()) {
                return Optional.empty();
            }
            coefficients[i] = row.get();
        }
        return Optional.of(product(coefficients));
    }

    /** @param coefficients over the units of the basis; those of the product are over units that it takes, ascending */
    private Product product(int[][] coefficients) {
        int[] sources = new int[rank()];
        int[] places = new int[rank()];
        int count = 0;
        for (int unit : left) {
            int place = placeInBasis(unit);
            if (place >= 0 && isUsed(coefficients, place)) {
                places[count] = place;
                sources[count++] = unit;
            }
        }
        Matrix matrix = Matrix.of(field, coefficients.length, count, (row, i) -> coefficients[row][places[i]]);
        return new Product(Arrays.copyOf(sources, count), matrix);
    }

    private int placeInBasis(int unit) {
        for (int place = 0; place < rank(); place++) {
            if (basisUnits[place] == unit) {
                return place;
            }
        }
        return -1;
    }

    private static boolean isUsed(int[][] coefficients, int place) {
        for (int[] row : coefficients) {
            if (row[place] != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * A product that makes units from others.
     *
     * @param sources the units to read, ascending
     * @param matrix the coefficients of each unit to make, a row each
     */
    record Product(int[] sources, Matrix matrix) {}
}
