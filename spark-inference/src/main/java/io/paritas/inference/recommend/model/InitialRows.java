/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;
import io.paritas.spark.ecrm.table.Initializer;
import java.io.Serializable;

/**
 * Initial values of the embedding rows: uniform in ±bound. Each number is a function of the seed, the row's id and its index in
 * the row, whichever server has the row. Immutable.
 *
 * @param seed seed; equal seeds give equal rows
 * @param dimension numbers in a row
 * @param bound largest absolute value
 */
@PublicApi
public record InitialRows(long seed, int dimension, float bound) implements Serializable {

    /** @throws IllegalArgumentException if the dimension is below 1, or the bound is negative or not finite */
    public InitialRows {
        if (dimension < 1 || !(bound >= 0 && bound < Float.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("rows must have at least 1 number and a finite bound of at least 0, got "
                    + dimension + " and " + bound);
        }
    }

    /** Returns rows with the bound 0.125 · √(3 / dimension), and so a norm of about 0.125 for every dimension. */
    public static InitialRows of(DlrmShape shape, long seed) {
        return new InitialRows(seed, shape.dimension(), (float) (0.125 * Math.sqrt(3.0 / shape.dimension())));
    }

    /** The same values as parameter servers make them. */
    public Initializer initial() {
        return new Initializer(seed, -bound, bound);
    }

    /** Writes the row of an id into an array. */
    public void fill(long id, float[] into, int offset) {
        float[] row = new float[dimension];
        initial().fill(id, row, dimension);
        System.arraycopy(row, 0, into, offset, dimension);
    }
}
