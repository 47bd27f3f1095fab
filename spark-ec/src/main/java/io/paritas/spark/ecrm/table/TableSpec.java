/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.io.Serializable;

/**
 * An embedding table.
 *
 * @param rows how many, numbered from 0
 * @param width floats of a row
 * @param optimizer of its rows
 * @param initial its rows at first
 */
public record TableSpec(long rows, int width, Optimizer optimizer, Initial initial) implements Serializable {
    public TableSpec {
        if (rows < 1 || width < 1) {
            throw new IllegalArgumentException(
                    "A table has at least one row of one float, but was given " + rows + " rows of " + width);
        }
    }

    /** The bits of a row before its first update, behind its version. */
    public int[] fresh(long row) {
        float[] all = new float[words()];
        initial.fill(row, all, width);
        int[] words = new int[1 + all.length];
        for (int i = 0; i < all.length; i++) {
            words[1 + i] = Float.floatToRawIntBits(all[i]);
        }
        return words;
    }

    /** Floats of a row and of its optimizer's state. */
    public int words() {
        return width + optimizer.state(width);
    }
}
