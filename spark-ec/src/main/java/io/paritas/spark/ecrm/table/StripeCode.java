/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

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
    public Optional<int[]> decode(int unit, int[][] others) {
        return unit < k ? row(unit, others) : Optional.of(encode(others));
    }

    private Optional<int[]> row(int unit, int[][] others) {
        int[] sum = others[k];
        int length = sum.length - k;
        for (int other = 0; other < k; other++) {
            if (other != unit && others[other][0] != sum[other]) {
                return Optional.empty();
            }
        }
        int[] row = new int[1 + length];
        row[0] = sum[unit];
        System.arraycopy(sum, k, row, 1, length);
        for (int other = 0; other < k; other++) {
            if (other != unit) {
                parity.subtract(row, 1, others[other], 1, length);
            }
        }
        return Optional.of(row);
    }

    /** Returns the parity unit of k data units. */
    int[] encode(int[][] data) {
        int length = data[0].length - 1;
        int[] sum = new int[k + length];
        sum[0] = data[0][0];
        System.arraycopy(data[0], 1, sum, k, length);
        for (int other = 1; other < k; other++) {
            sum[other] = data[other][0];
            parity.add(sum, k, data[other], 1, length);
        }
        return sum;
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
