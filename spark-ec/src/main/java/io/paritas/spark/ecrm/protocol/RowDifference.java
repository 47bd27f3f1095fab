/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * What one update adds to a row and its optimizer state, and likewise to their parity: difference propagation (thesis,
 * 5.3.2).
 *
 * @param table number of the table
 * @param stripe of the row
 * @param unit data unit of the row within its stripe
 * @param base version of the row before the update
 * @param words one difference for each float of the row and its state
 */
public record RowDifference(int table, long stripe, int unit, int base, int[] words) {
    /** How many bytes {@link #write} writes. */
    long bytes() {
        return 4L * Integer.BYTES + Long.BYTES + (long) Integer.BYTES * words.length;
    }

    void write(WireWriter to) {
        to.int4(table);
        to.int8(stripe);
        to.int4(unit);
        to.int4(base);
        to.ints(words);
    }

    static RowDifference read(WireReader from) {
        return new RowDifference(from.int4(), from.int8(), from.int4(), from.int4(), from.ints());
    }
}
