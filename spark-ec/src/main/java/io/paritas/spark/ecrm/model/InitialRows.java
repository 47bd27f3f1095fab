/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.table.Initial;
import java.io.Serializable;

/**
 * What the rows of the embedding tables start with: numbers uniform in ±bound, each a function of the seed, the row's id and its
 * place in the row, whichever server has the row. Immutable.
 *
 * @param seed equal seeds give equal rows
 * @param dimension numbers in a row
 * @param bound greater than all absolute values, or equal to some
 */
public record InitialRows(long seed, int dimension, float bound) implements Serializable {

    /** Checks the numbers. */
    public InitialRows {
        if (dimension < 1 || !(bound >= 0 && bound < Float.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "Rows have at least one number, and a bound that is finite and not negative;" + " got " + dimension
                            + " and " + bound);
        }
    }

    /** With the bound 0.125 · √(3 / dimension): rows have a norm of about 0.125, whatever their dimension. */
    public static InitialRows of(DlrmShape shape, long seed) {
        return new InitialRows(seed, shape.dimension(), (float) (0.125 * Math.sqrt(3.0 / shape.dimension())));
    }

    /** The same, for a server. */
    public Initial initial() {
        return new Initial(seed, -bound, bound);
    }

    /** Writes the row with that id. */
    public void fill(long id, float[] into, int offset) {
        float[] row = new float[dimension];
        initial().fill(id, row, dimension);
        System.arraycopy(row, 0, into, offset, dimension);
    }
}
