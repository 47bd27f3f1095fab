/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.io.Serializable;

/**
 * What parameters are before the first update: numbers uniform between two others that follow from the row alone, so that each
 * server makes what it keeps, parity too, and no two of them talk.
 *
 * @param seed of the table
 * @param low the least
 * @param high what all are below; or low, for a constant
 */
public record Initial(long seed, float low, float high) implements Serializable {
    public Initial {
        if (!(low <= high)) {
            throw new IllegalArgumentException("Parameters begin between low and high, but " + low + " > " + high);
        }
    }

    /** The parameters of a row, into the first places of an array. */
    public void fill(long row, float[] parameters, int count) {
        long state = mixed(seed ^ mixed(row));
        for (int i = 0; i < count; i++) {
            state += 0x9E3779B97F4A7C15L;
            parameters[i] = low + (high - low) * ((mixed(state) >>> 40) * 0x1p-24f);
        }
    }

    /** SplitMix64. */
    private static long mixed(long state) {
        long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
