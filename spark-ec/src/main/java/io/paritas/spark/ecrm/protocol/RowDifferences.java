/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * What one attempt adds to rows of a table and their optimizer states, and likewise to their parities: difference
 * propagation (thesis, 5.3.2). The arrays of all rows are flat.
 *
 * @param table number of the table
 * @param rows numbers of the rows
 * @param bases version of each row before the update
 * @param words one difference for each float of a row and its state, row after row
 */
public record RowDifferences(int table, long[] rows, int[] bases, int[] words) {
    /** Returns the number of rows. */
    public int count() {
        return rows.length;
    }

    /** Returns where the differences of the i-th row begin in {@link #words}. */
    public int at(int i) {
        return words.length / rows.length * i;
    }

    /** How many bytes {@link #write} writes. */
    long bytes() {
        return 4L * Integer.BYTES
                + (long) Long.BYTES * rows.length
                + (long) Integer.BYTES * bases.length
                + (long) Integer.BYTES * words.length;
    }

    void write(WireWriter to) {
        to.int4(table);
        to.longs(rows);
        to.ints(bases);
        to.ints(words);
    }

    static RowDifferences read(WireReader from) {
        RowDifferences read = new RowDifferences(from.int4(), from.longs(), from.ints(), from.ints());
        int rows = read.rows.length;
        if (read.bases.length != rows || (rows == 0 ? read.words.length > 0 : read.words.length % rows > 0)) {
            throw new WireException("differences must have a version and as many words for each row, got " + rows
                    + " rows, " + read.bases.length + " versions and " + read.words.length + " words");
        }
        return read;
    }
}
