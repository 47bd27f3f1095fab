/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * What an update adds to a row, its state, and their parity.
 *
 * @param unit the data unit of the row
 * @param base the version of the row that it is added to
 */
public record Difference(int table, long stripe, int unit, int base, int[] words) {
    void write(WireWriter to) {
        to.int4(table);
        to.int8(stripe);
        to.int4(unit);
        to.int4(base);
        to.ints(words);
    }

    static Difference read(WireReader from) {
        return new Difference(from.int4(), from.int8(), from.int4(), from.int4(), from.ints());
    }
}
