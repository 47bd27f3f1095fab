/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The lengths of the k batches of a group. Row i of every batch that is long enough makes up coding group i. Immutable.
 */
final class GroupShape {
    private final int[] rows;

    /** Creates a shape from the number of rows of each batch. */
    GroupShape(int... rows) {
        this.rows = rows.clone();
    }

    /** Divides rows into k batches of equal length; the last ones are shorter or empty if there are too few rows. */
    static GroupShape even(int k, int rows) {
        int height = (rows + k - 1) / k;
        return new GroupShape(IntStream.range(0, k)
                .map(slot -> Math.min(rows, (slot + 1) * height) - Math.min(rows, slot * height))
                .toArray());
    }

    /** Number of batches of data. */
    int k() {
        return rows.length;
    }

    /** Number of rows of all batches. */
    int rows() {
        return Arrays.stream(rows).sum();
    }

    /** Number of rows of the longest batch, which is the number of coding groups. */
    int height() {
        return Arrays.stream(rows).max().orElse(0);
    }

    /** Number of rows in the batches before one. */
    int first(int slot) {
        return Arrays.stream(rows, 0, slot).sum();
    }

    /** Number of rows of a batch. */
    int rows(int slot) {
        return rows[slot];
    }

    /**
     * Rows that have the same members.
     *
     * @param from the first of them
     * @param to the row behind the last
     * @param members the batches that have these rows
     */
    record Band(int from, int to, int[] members) {}

    /** All rows, in order, by their members. */
    List<Band> bands() {
        List<Band> bands = new ArrayList<>();
        int from = 0;
        for (int to : Arrays.stream(rows)
                .filter(length -> length > 0)
                .distinct()
                .sorted()
                .toArray()) {
            bands.add(new Band(from, to, members(from)));
            from = to;
        }
        return bands;
    }

    /** The members of a coding group: the batches that have that row. */
    int[] members(int row) {
        return IntStream.range(0, rows.length).filter(slot -> rows[slot] > row).toArray();
    }
}
