/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The units of a stripe that are left, and the units that they determine.
 *
 * <p>A unit is a row of the identity above the generator. The first independent units that are left form a basis. A missing
 * unit can be reconstructed if and only if its row is a combination of theirs; only those with a non-zero coefficient are
 * read. Units are taken by the number of data units they combine: data units first, local parity before global parity. So
 * a single loss in a group needs only that group. If any k units are independent, as with an MDS code, the basis is the
 * first k that are left.
 */
final class Survivors {
    private final int[][] rows;
    private final int[] left;
    private final int[] basisUnits;
    private final RowBasis basis;

    Survivors(Matrix generator, Erasures missing) {
        int k = generator.columns();
        rows = Matrix.identity(generator.field(), k).above(generator).toRows();
        left = IntStream.range(0, rows.length)
                .filter(unit -> !missing.contains(unit))
                .toArray();
        basis = new RowBasis(generator.field(), k);
        basisUnits = Arrays.stream(left)
                .boxed()
                .sorted(Comparator.comparingLong(this::weight))
                .mapToInt(Integer::intValue)
                .filter(unit -> basis.rank() < k && basis.add(rows[unit]))
                .toArray();
    }

    private long weight(int unit) {
        return Arrays.stream(rows[unit]).filter(entry -> entry != 0).count();
    }

    /** How many units are left. */
    int count() {
        return left.length;
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
        Erasures needed = Erasures.of(basisUnits);
        return Erasures.of(
                Arrays.stream(left).filter(unit -> !needed.contains(unit)).toArray());
    }

    /** Returns the product that makes these units; empty if one of them is out of reach. */
    Optional<Product> product(Erasures wanted) {
        int[][] coefficients = wanted.stream()
                .mapToObj(unit -> basis.coefficients(rows[unit]))
                .flatMap(Optional::stream)
                .toArray(int[][]::new);
        return coefficients.length == wanted.size() ? Optional.of(product(coefficients)) : Optional.empty();
    }

    private Product product(int[][] coefficients) {
        int[] used = IntStream.range(0, basisUnits.length)
                .filter(i -> Arrays.stream(coefficients).anyMatch(row -> row[i] != 0))
                .boxed()
                .sorted(Comparator.comparingInt(i -> basisUnits[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        return new Product(
                Arrays.stream(used).map(i -> basisUnits[i]).toArray(),
                Arrays.stream(coefficients)
                        .map(row -> Arrays.stream(used).map(i -> row[i]).toArray())
                        .toArray(int[][]::new));
    }

    /**
     * A product that makes units from others.
     *
     * @param sources the units to read, ascending
     * @param rows the coefficients of each unit to make
     */
    record Product(int[] sources, int[][] rows) {}
}
