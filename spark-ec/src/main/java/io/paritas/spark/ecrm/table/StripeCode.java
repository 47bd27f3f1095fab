/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.util.Optional;

/**
 * The units of the stripes of one table. A data unit is the number of updates of its row, its version, and then the floats of
 * the row and of the optimizer's state; the parity unit is the k versions that are in it, and then as many floats. By the
 * versions it is known whether units that were read at different times belong together. A unit may be cut short behind the
 * parameters: what is decoded of such units is cut too. Immutable.
 */
public final class StripeCode {
    private final int k;
    private final Parity parity;

    StripeCode(int k, Parity parity) {
        this.k = k;
        this.parity = parity;
    }

    public static StripeCode of(ModelSpec model) {
        return new StripeCode(model.redundancy().k(), model.redundancy().parity());
    }

    /** Words before the floats. */
    public int header(int unit) {
        return unit < k ? 1 : k;
    }

    /** Where the version of a data unit is, in itself or in the parity. */
    static int versionAt(int unit, int dataUnit) {
        return dataUnit == unit ? 0 : dataUnit;
    }

    /**
     * A unit from the others of its stripe.
     *
     * @param others by unit; the one that is decoded is not looked at
     * @return empty if the others were read at different times, between which one was updated
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

    /** The parity of k data units. */
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

    int[] difference(int[] before, int[] after) {
        int[] delta = new int[before.length];
        parity.difference(before, after, delta);
        return delta;
    }

    /** The unit after an update of a data unit, itself or one that it is the parity of. */
    int[] updated(int[] words, int unit, int dataUnit, int[] delta) {
        int[] after = words.clone();
        after[versionAt(unit, dataUnit)]++;
        parity.add(after, header(unit), delta, 0, delta.length);
        return after;
    }
}
