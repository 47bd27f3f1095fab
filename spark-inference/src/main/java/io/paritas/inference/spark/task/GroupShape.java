/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Arrays;
import java.util.stream.IntStream;

/** How the rows of k batches make up coding groups: row i of every batch that has one. Immutable. */
final class GroupShape {
    private final int[] rows;

    /** Batches with so many rows each. */
    GroupShape(int... rows) {
        this.rows = rows.clone();
    }

    /** k batches that are equally long; only the last ones are shorter, or empty, when there are too few rows. */
    static GroupShape even(int k, int rows) {
        int height = (rows + k - 1) / k;
        return new GroupShape(IntStream.range(0, k)
                .map(slot -> Math.min(rows, (slot + 1) * height) - Math.min(rows, slot * height))
                .toArray());
    }

    /** Batches of data. */
    int k() {
        return rows.length;
    }

    /** Rows of all batches. */
    int rows() {
        return Arrays.stream(rows).sum();
    }

    /** Rows of the longest batch: the number of coding groups. */
    int height() {
        return Arrays.stream(rows).max().orElse(0);
    }

    /** How many rows the batches before one have. */
    int first(int slot) {
        return Arrays.stream(rows, 0, slot).sum();
    }

    /** Rows of a batch. */
    int rows(int slot) {
        return rows[slot];
    }

    /** The batches that have such a row: the members of a coding group. */
    int[] members(int row) {
        return IntStream.range(0, rows.length).filter(slot -> rows[slot] > row).toArray();
    }
}
