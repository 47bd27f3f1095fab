/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * Gradients of rows of one table.
 *
 * @param rows different ones
 * @param gradients row after row
 */
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
