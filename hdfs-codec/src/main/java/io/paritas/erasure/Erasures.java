/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.stream.IntStream;

/** A sorted set of unit indices, such as the missing units of a stripe. Immutable. */
@PublicApi
public final class Erasures {
    private static final Erasures NONE = new Erasures(new int[0]);

    private final int[] indices;

    private Erasures(int[] indices) {
        this.indices = indices;
    }

    /** The empty set. */
    public static Erasures none() {
        return NONE;
    }

    /**
     * Creates the set of these indices, given in any order. Copies the array.
     *
     * @throws IllegalArgumentException if an index is negative, too large for any code, or given twice
     */
    public static Erasures of(int... indices) {
        int[] sorted = indices.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] < 0 || sorted[i] >= CodeParameters.MAX_UNITS) {
                throw new IllegalArgumentException("a unit index must be 0 to " + (CodeParameters.MAX_UNITS - 1)
                        + ", got " + sorted[i] + " in " + Arrays.toString(indices));
            }
            if (i > 0 && sorted[i] == sorted[i - 1]) {
                throw new IllegalArgumentException(
                        "a unit must be named once, got " + sorted[i] + " twice in " + Arrays.toString(indices));
            }
        }
        return sorted.length == 0 ? NONE : new Erasures(sorted);
    }

    /** The number of units in the set. */
    public int size() {
        return indices.length;
    }

    /** Whether the unit is in the set. */
    public boolean contains(int unit) {
        return Arrays.binarySearch(indices, unit) >= 0;
    }

    /** The indices, ascending. */
    public IntStream stream() {
        return Arrays.stream(indices);
    }

    /** The indices, ascending, in a new array. */
    public int[] toArray() {
        return indices.clone();
    }

    /** The largest index, or −1 for the empty set. */
    int last() {
        return indices.length == 0 ? -1 : indices[indices.length - 1];
    }

    /** Returns the union of both sets. */
    public Erasures union(Erasures other) {
        int[] union = Arrays.copyOf(indices, indices.length + other.indices.length);
        int size = indices.length;
        for (int unit : other.indices) {
            if (!contains(unit)) {
                union[size++] = unit;
            }
        }
        return size == indices.length ? this : of(Arrays.copyOf(union, size));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Erasures that && Arrays.equals(indices, that.indices);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(indices);
    }

    @Override
    public String toString() {
        return Arrays.toString(indices);
    }
}
