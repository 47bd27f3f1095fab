/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.erasure.GaloisField;
import java.util.Optional;

/**
 * The code of rows, and the format of their units. A data unit is its version, which counts the updates of its row, then the floats
 * of the row and of its optimizer state. A parity unit is the k versions that it includes, then as many floats. Versions show whether
 * units that were read at different times are consistent. Units may be cut off after the parameters; units decoded from them are cut
 * off too. Immutable.
 *
 * <p>The first parity adds up the rows. The second one adds up the products of row i and 2^i in GF(2^8), byte by byte, as RAID 6 does:
 * any two units are decoded from the k others (H. P. Anvin, "The mathematics of RAID-6", 2004).
 */
public final class RowCode {
    private static final GaloisField FIELD = GaloisField.bytes();

    private final int k;
    private final Parity parity;

    RowCode(int k, Parity parity) {
        this.k = k;
        this.parity = parity;
    }

    /** Returns the code of a model. */
    public static RowCode of(ModelSpec model) {
        return new RowCode(model.redundancy().k(), model.redundancy().parity());
    }

    /** Returns the number of versions that a unit begins with. */
    public int header(int unit) {
        return unit < k ? 1 : k;
    }

    /** Returns the index of the version of a data unit, in that unit or in a parity unit. */
    static int versionAt(int unit, int dataUnit) {
        return dataUnit == unit ? 0 : dataUnit;
    }

    /** Returns by what a row is multiplied in a unit. */
    private int coefficient(int unit, int dataUnit) {
        return unit <= k ? 1 : FIELD.power(dataUnit);
    }

    /**
     * Decodes a unit from the others of its stripe.
     *
     * @param others by unit, null where one is missing; the decoded one is ignored
     * @return the unit; empty if the versions of the others differ, because the stripe was updated between their reads
     */
    Optional<int[]> decode(int unit, int[][] others) {
        int present = 0;
        while (present == unit || others[present] == null) {
            present++;
        }
        return decode(unit, others, new int[others.length], new int[others[present].length - header(present)]);
    }

    /**
     * Decodes a unit from k others of its stripe or more.
     *
     * @param others by unit: an array with the unit, null where one is missing; the decoded one is ignored
     * @param starts by unit: where the unit begins in its array
     * @param scratch overwritten; as long as a unit without its versions
     * @return the unit; empty if the versions of the others differ, because the stripe was updated between their reads
     */
    public Optional<int[]> decode(int unit, int[][] others, int[] starts, int[] scratch) {
        Stripe stripe = new Stripe(others, starts, scratch);
        int second = second(unit, others);
        if (unit < k) {
            return second < 0 ? row(stripe, unit, someParity(unit, others)) : row(stripe, unit, second, k, k + 1);
        }
        return second < 0
                ? Optional.of(parity(stripe, unit))
                : row(stripe, second, someParity(unit, others)).map(row -> parity(stripe.with(second, row), unit));
    }

    /** Units of a stripe: by unit, an array and where the unit begins in it. */
    private record Stripe(int[][] units, int[] starts, int[] scratch) {
        /** Returns a version of a unit. */
        int version(int unit, int at) {
            return units[unit][starts[unit] + at];
        }

        /** Copies the words of a unit, without its versions. */
        void floats(int unit, int header, int[] to) {
            System.arraycopy(units[unit], starts[unit] + header, to, 0, to.length);
        }

        /** Returns this with another unit, which is an array of its own. */
        Stripe with(int unit, int[] words) {
            int[][] more = units.clone();
            int[] begins = starts.clone();
            more[unit] = words;
            begins[unit] = 0;
            return new Stripe(more, begins, scratch);
        }
    }

    /** Returns the data unit that is missing beside a unit, or -1. */
    private int second(int unit, int[][] others) {
        for (int other = 0; other < k; other++) {
            if (other != unit && others[other] == null) {
                return other;
            }
        }
        return -1;
    }

    /** Returns a parity unit that is there. */
    private int someParity(int without, int[][] others) {
        return without != k && others[k] != null ? k : k + 1;
    }

    /** Decodes the only missing row. */
    private Optional<int[]> row(Stripe stripe, int row, int parityUnit) {
        if (!isConsistent(stripe, row, row, parityUnit)) {
            return Optional.empty();
        }
        int[] floats = rest(stripe, row, row, parityUnit);
        FieldWords.multiply(floats, FIELD.inverse(coefficient(parityUnit, row)), stripe.scratch());
        return Optional.of(withVersion(stripe.version(parityUnit, row), floats));
    }

    /** Decodes one of two missing rows a and b: a + b and 2^a a + 2^b b are what the parities have of them. */
    private Optional<int[]> row(Stripe stripe, int a, int b, int first, int second) {
        if (!isConsistent(stripe, a, b, first)
                || !isConsistent(stripe, a, b, second)
                || stripe.version(first, a) != stripe.version(second, a)
                || stripe.version(first, b) != stripe.version(second, b)) {
            return Optional.empty();
        }
        int[] sum = rest(stripe, a, b, first);
        int[] floats = rest(stripe, a, b, second);
        FieldWords.multiply(sum, coefficient(second, b), stripe.scratch());
        parity.subtract(floats, sum);
        int factor = coefficient(second, a) ^ coefficient(second, b);
        FieldWords.multiply(floats, FIELD.inverse(factor), stripe.scratch());
        return Optional.of(withVersion(stripe.version(first, a), floats));
    }

    /** Whether a parity has the versions of all rows but two. */
    private boolean isConsistent(Stripe stripe, int a, int b, int parityUnit) {
        for (int row = 0; row < k; row++) {
            if (row != a && row != b && stripe.version(row, 0) != stripe.version(parityUnit, row)) {
                return false;
            }
        }
        return true;
    }

    /** Returns what a parity has of two rows, which may be the same. */
    private int[] rest(Stripe stripe, int a, int b, int parityUnit) {
        int[] floats = new int[stripe.scratch().length];
        int[] one = one(stripe, parityUnit);
        stripe.floats(parityUnit, k, floats);
        for (int row = 0; row < k; row++) {
            if (row != a && row != b) {
                stripe.floats(row, 1, one);
                FieldWords.multiply(one, coefficient(parityUnit, row), stripe.scratch());
                parity.subtract(floats, one);
            }
        }
        return floats;
    }

    /** Returns room for a row: nothing is multiplied in the first parity, so the scratch is free. */
    private int[] one(Stripe stripe, int parityUnit) {
        return parityUnit == k ? stripe.scratch() : new int[stripe.scratch().length];
    }

    private static int[] withVersion(int version, int[] floats) {
        int[] row = new int[1 + floats.length];
        row[0] = version;
        System.arraycopy(floats, 0, row, 1, floats.length);
        return row;
    }

    /** Computes a parity unit from all rows. */
    private int[] parity(Stripe stripe, int unit) {
        int[] floats = new int[stripe.scratch().length];
        int[] one = one(stripe, unit);
        int[] all = new int[k + floats.length];
        for (int row = 0; row < k; row++) {
            int[] to = row == 0 ? floats : one;
            stripe.floats(row, 1, to);
            FieldWords.multiply(to, coefficient(unit, row), stripe.scratch());
            if (row > 0) {
                parity.add(floats, one);
            }
            all[row] = stripe.version(row, 0);
        }
        System.arraycopy(floats, 0, all, k, floats.length);
        return all;
    }

    /** Returns a parity unit of k data units. */
    int[] encode(int unit, int[][] data) {
        return parity(new Stripe(data, new int[k], new int[data[0].length - 1]), unit);
    }

    /** Computes the difference between two states of a row. */
    void difference(float[] before, float[] after, int[] delta) {
        parity.difference(before, after, delta);
    }

    /** Makes {@code after} what {@link #add} makes of {@code before} and the difference: sums are rounded. */
    void round(float[] before, float[] after, int[] delta) {
        parity.round(before, after, delta);
    }

    /**
     * Makes a difference of a row that of a unit of its stripe.
     *
     * @param scratch overwritten; as long as the difference
     */
    void scale(int unit, int dataUnit, int[] delta, int[] scratch) {
        FieldWords.multiply(delta, coefficient(unit, dataUnit), scratch);
    }

    /** Adds a {@linkplain #scale scaled} difference to the floats of a unit. */
    void add(int[] words, int[] delta) {
        parity.add(words, delta);
    }

    /** Updates a data or parity unit by the scaled difference of an update of a data unit. */
    void update(int[] words, int unit, int dataUnit, int[] delta) {
        words[versionAt(unit, dataUnit)]++;
        parity.add(words, header(unit), delta, 0, delta.length);
    }
}
