/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Sizes of the embedding tables. Ids count the rows of all tables from 0: those of the first table, then those of the second,
 * and so on. Immutable.
 */
@PublicApi
public final class Tables implements Serializable {
    private static final long serialVersionUID = 1;

    /** The first id of each table, and the end of the last one. */
    private final long[] starts;

    private Tables(long[] starts) {
        this.starts = starts;
    }

    /**
     * Returns tables with these numbers of rows.
     *
     * @throws IllegalArgumentException if there is no table, or one without rows, or they have more than {@link Long#MAX_VALUE} rows
     */
    public static Tables of(long... rows) {
        if (rows.length == 0 || Arrays.stream(rows).anyMatch(count -> count < 1)) {
            throw new IllegalArgumentException(
                    "at least 1 embedding table with at least 1 row is needed, got " + Arrays.toString(rows));
        }
        long[] starts = new long[rows.length + 1];
        for (int table = 0; table < rows.length; table++) {
            if (rows[table] > Long.MAX_VALUE - starts[table]) {
                throw new IllegalArgumentException("all embedding tables together must have at most " + Long.MAX_VALUE
                        + " rows, got " + Arrays.toString(rows));
            }
            starts[table + 1] = starts[table] + rows[table];
        }
        return new Tables(starts);
    }

    /** Tables of equal size. */
    public static Tables equal(int tables, long rows) {
        return of(LongStream.generate(() -> rows).limit(tables).toArray());
    }

    /** Number of tables. */
    public int count() {
        return starts.length - 1;
    }

    /** Number of rows of all tables. */
    public long rows() {
        return starts[count()];
    }

    /** Number of rows of one table. */
    public long rows(int table) {
        return starts[table + 1] - starts[table];
    }

    /** The id of the first row of a table. */
    public long first(int table) {
        return starts[table];
    }

    /** The table that has the row with this id, which must be below {@link #rows()}. */
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

    /** The numbers of rows, for example {@code [900, 300]}. */
    @Override
    public String toString() {
        return Arrays.toString(
                LongStream.range(0, count()).map(table -> rows((int) table)).toArray());
    }
}
