/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * An embedding table.
 *
 * @param rows number of rows, at least 1
 * @param width parameters of a row, at least 1
 * @param optimizer applies gradients to rows
 * @param initial makes the rows before their first update
 */
@PublicApi
public record TableSpec(long rows, int width, Optimizer optimizer, Initializer initial) implements Serializable {
    public TableSpec {
        if (rows < 1 || width < 1) {
            throw new IllegalArgumentException(
                    "table must have at least 1 row of at least 1 parameter, got " + rows + " rows of " + width);
        }
    }

    /** Returns a row before its first update: its version, then the bits of its parameters and optimizer state. */
    public int[] fresh(long row) {
        float[] all = new float[words()];
        initial.fill(row, all, width);
        int[] words = new int[1 + all.length];
        for (int i = 0; i < all.length; i++) {
            words[1 + i] = Float.floatToRawIntBits(all[i]);
        }
        return words;
    }

    /** Returns the number of floats of a row and its optimizer state. */
    public int words() {
        return width + optimizer.state(width);
    }
}
