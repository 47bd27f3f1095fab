/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Embedding tables by their numbers of rows. All rows together have ids from 0 on: first those of the first table, then those
 * of the second. Immutable.
 */
public final class Tables implements Serializable {
    private static final long serialVersionUID = 1;

    /** Where each table begins, and where the last one ends. */
    private final long[] starts;

    private Tables(long[] starts) {
        this.starts = starts;
    }

    /** @throws IllegalArgumentException if there is no table, or one without rows */
    public static Tables of(long... rows) {
        if (rows.length == 0 || Arrays.stream(rows).anyMatch(count -> count < 1)) {
            throw new IllegalArgumentException(
                    "There is at least one embedding table, and each has rows; got " + Arrays.toString(rows));
        }
        long[] starts = new long[rows.length + 1];
        for (int table = 0; table < rows.length; table++) {
            starts[table + 1] = Math.addExact(starts[table], rows[table]);
        }
        return new Tables(starts);
    }

    /** So many tables with equally many rows. */
    public static Tables equal(int tables, long rows) {
        return of(LongStream.generate(() -> rows).limit(tables).toArray());
    }

    /** How many tables there are. */
    public int count() {
        return starts.length - 1;
    }

    /** The rows of all tables. */
    public long rows() {
        return starts[count()];
    }

    /** The rows of one table. */
    public long rows(int table) {
        return starts[table + 1] - starts[table];
    }

    /** The id of the first row of a table. */
    public long first(int table) {
        return starts[table];
    }

    /** Which table has the row with that id, which is one of all tables. */
    public int table(long id) {
        int found = Arrays.binarySearch(starts, id);
        return found < 0 ? -found - 2 : found;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tables tables && Arrays.equals(starts, tables.starts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(starts);
    }

    /** How many rows each table has. */
    @Override
    public String toString() {
        return Arrays.toString(
                LongStream.range(0, count()).map(table -> rows((int) table)).toArray());
    }
}
