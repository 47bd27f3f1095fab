/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import io.paritas.PublicApi;

/**
 * Gradients of rows of one table.
 *
 * @param table number of the table
 * @param rows numbers of the rows, each once
 * @param gradients row after row
 */
@PublicApi
public record RowGradients(int table, long[] rows, float[] gradients) {
    void write(WireWriter to) {
        to.int4(table);
        to.longs(rows);
        to.floats(gradients);
    }

    static RowGradients read(WireReader from) {
        return new RowGradients(from.int4(), from.longs(), from.floats());
    }
}
