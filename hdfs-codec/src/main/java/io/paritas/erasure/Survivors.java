/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The units of a stripe that are left, and what they determine.
 *
 * <p>A unit is a row of the identity above the generator. Of the units that are left, the first independent ones are a
 * basis; a missing unit can be reconstructed exactly if its row is a combination of theirs, and only those with a non-zero
 * coefficient need to be read. The units are taken in the order of how many data units they are made of. So data units
 * come first and parity units of a local group before those of all data units, which makes a single loss in a group the
 * business of that group. If any k units are independent, as of a code whose generator is superregular, the basis is
 * the first k that are left.
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

    /** Those of the units that are not determined by what is left. */
    Erasures outOfReach(Erasures units) {
        return Erasures.of(units.stream()
                .filter(unit -> basis.coefficients(rows[unit]).isEmpty())
                .toArray());
    }

    /** The units that are left and follow from others that are left. */
    Erasures redundant() {
        Erasures needed = Erasures.of(basisUnits);
        return Erasures.of(
                Arrays.stream(left).filter(unit -> !needed.contains(unit)).toArray());
    }

    /** How to make units of those that are left; nothing if one of them is out of reach. */
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
     * A product that makes units of others.
     *
     * @param sources the units to read, ascending
     * @param rows the coefficients of each unit to make
     */
    record Product(int[] sources, int[][] rows) {}
}
