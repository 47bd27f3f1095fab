/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import io.paritas.random.SplitMix64;
import java.io.Serializable;

/**
 * Makes the parameters before the first update: uniform random numbers that depend on the seed and the row alone, so
 * that every server makes its units, parity included, without communication.
 *
 * @param seed of the table or block
 * @param low least parameter
 * @param high upper bound of the parameters, exclusive; equal to {@code low} for a constant
 */
@PublicApi
public record Initializer(long seed, float low, float high) implements Serializable {
    public Initializer {
        if (!(low <= high)) {
            throw new IllegalArgumentException("low must be at most high, got low " + low + " and high " + high);
        }
    }

    /** Writes the first {@code count} parameters of a row to the start of an array. */
    public void fill(long row, float[] parameters, int count) {
        long first = SplitMix64.mix(seed ^ SplitMix64.mix(row));
        for (int i = 0; i < count; i++) {
            parameters[i] = low + (high - low) * ((SplitMix64.at(first, i) >>> 40) * 0x1p-24f);
        }
    }
}
