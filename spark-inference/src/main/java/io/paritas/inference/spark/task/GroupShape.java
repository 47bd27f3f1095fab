/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/**
 * How the rows of k batches make up coding groups: row i of every batch that has one. The batches are equally long; only the
 * last ones are shorter, or empty, when there are too few rows.
 *
 * @param k batches of data
 * @param rows of all of them
 */
record GroupShape(int k, int rows) {

    /** Rows of the longest batch: the number of coding groups. */
    int height() {
        return (rows + k - 1) / k;
    }

    /** The first of all rows that is in a batch. */
    int first(int slot) {
        return Math.min(rows, slot * height());
    }

    /** Rows of a batch. */
    int rows(int slot) {
        return first(slot + 1) - first(slot);
    }

    /** How many batches have such a row: the first ones. */
    int members(int row) {
        int members = 0;
        while (members < k && rows(members) > row) {
            members++;
        }
        return members;
    }
}
