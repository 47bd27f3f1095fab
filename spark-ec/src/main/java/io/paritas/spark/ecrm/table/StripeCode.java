/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Arrays;
import java.util.Optional;

/**
 * The code of stripes, and the format of their units. A data unit is its version, which counts the updates of its row,
 * then the floats of the row and of its optimizer state. The parity unit is the k versions that it includes, then as
 * many floats. Versions show whether units that were read at different times are consistent. Units may be cut off after
 * the parameters; units decoded from them are cut off too. Immutable.
 */
public final class StripeCode {
    private final int k;
    private final Parity parity;

    StripeCode(int k, Parity parity) {
        this.k = k;
        this.parity = parity;
    }

    /** Returns the code of a model. */
    public static StripeCode of(ModelSpec model) {
        return new StripeCode(model.redundancy().k(), model.redundancy().parity());
    }

    /** Returns the number of versions that a unit begins with. */
    public int header(int unit) {
        return unit < k ? 1 : k;
    }

    /** Returns the index of the version of a data unit, in that unit or in the parity unit. */
    static int versionAt(int unit, int dataUnit) {
        return dataUnit == unit ? 0 : dataUnit;
    }

    /**
     * Decodes a unit from the others of its stripe.
     *
     * @param others by unit; the decoded one is ignored
     * @return the unit; empty if the versions of the others differ, because the stripe was updated between their reads
     */
    Optional<int[]> decode(int unit, int[][] others) {
        int present = unit == 0 ? 1 : 0;
        return decode(unit, others, new int[others.length], new int[others[present].length - header(present)]);
    }

    /**
     * Decodes a unit from the others of its stripe.
     *
     * @param others by unit: an array with the unit; the decoded one is ignored
     * @param starts by unit: where the unit begins in its array
     * @param scratch overwritten; as long as a unit without its versions
     * @return the unit; empty if the versions of the others differ, because the stripe was updated between their reads
     */
    public Optional<int[]> decode(int unit, int[][] others, int[] starts, int[] scratch) {
        return unit < k ? row(unit, others, starts, scratch) : Optional.of(encode(others, starts, scratch));
    }

    private Optional<int[]> row(int unit, int[][] others, int[] starts, int[] scratch) {
        int[] sum = others[k];
        int versions = starts[k];
        for (int other = 0; other < k; other++) {
            if (other != unit && others[other][starts[other]] != sum[versions + other]) {
                return Optional.empty();
            }
        }
        int[] floats = Arrays.copyOfRange(sum, versions + k, versions + k + scratch.length);
        for (int other = 0; other < k; other++) {
            if (other != unit) {
                System.arraycopy(others[other], starts[other] + 1, scratch, 0, scratch.length);
                parity.subtract(floats, scratch);
            }
        }
        int[] row = new int[1 + floats.length];
        row[0] = sum[versions + unit];
        System.arraycopy(floats, 0, row, 1, floats.length);
        return Optional.of(row);
    }

    private int[] encode(int[][] data, int[] starts, int[] scratch) {
        int[] floats = Arrays.copyOfRange(data[0], starts[0] + 1, starts[0] + 1 + scratch.length);
        int[] sum = new int[k + floats.length];
        sum[0] = data[0][starts[0]];
        for (int other = 1; other < k; other++) {
            sum[other] = data[other][starts[other]];
            System.arraycopy(data[other], starts[other] + 1, scratch, 0, scratch.length);
            parity.add(floats, scratch);
        }
        System.arraycopy(floats, 0, sum, k, floats.length);
        return sum;
    }

    /** Returns the parity unit of k data units. */
    int[] encode(int[][] data) {
        return encode(data, new int[k], new int[data[0].length - 1]);
    }

    /** Computes the difference between two states of a row. */
    void difference(float[] before, float[] after, int[] delta) {
        parity.difference(before, after, delta);
    }

    /** Makes {@code after} what {@link #add} makes of {@code before} and the difference: sums are rounded. */
    void round(float[] before, float[] after, int[] delta) {
        parity.round(before, after, delta);
    }

    /** Adds a difference to the floats of a unit. */
    void add(int[] words, int[] delta) {
        parity.add(words, delta);
    }

    /** Updates a data or parity unit by an update of a data unit, {@code count} words from {@code at} on. */
    void update(int[] words, int unit, int dataUnit, int[] delta, int at, int count) {
        words[versionAt(unit, dataUnit)]++;
        parity.add(words, header(unit), delta, at, count);
    }
}
