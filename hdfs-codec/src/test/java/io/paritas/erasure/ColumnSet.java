/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

/** The columns of a generator that is being searched: those chosen so far, and which others may join them. */
interface ColumnSet {
    /** How many columns could be chosen at all; they are numbered from 0. */
    int candidates();

    /** Whether a candidate may become column {@code place} beside those that are chosen. */
    boolean admits(int place, int candidate);

    /** Chooses a candidate, which is admitted. */
    void put(int place, int candidate);

    /** Takes the column away. */
    void clear(int place);

    /** The generator whose columns are these candidates; a place that has none (−1) gives no column. */
    int[][] rows(int[] candidates);
}
