/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.Arrays;

/**
 * How large the values of some rows are: how many there are of each power of two, of those that are finite and not zero. Immutable.
 */
final class Magnitude {
    static final Magnitude NONE = new Magnitude(0, new long[Float.MAX_EXPONENT - Float.MIN_EXPONENT + 2]);

    /** A few values may all be near zero by chance. */
    private static final int ENOUGH = 8;

    /** One row in so many may have a larger value than what is usual: one that stands for "none", say, as -1e9 does in masks. */
    private static final int LARGER = 10;

    private final long rows;
    private final long[] counts;

    private Magnitude(long rows, long[] counts) {
        this.rows = rows;
        this.counts = counts;
    }

    static Magnitude of(int rows, float... values) {
        long[] counts = new long[NONE.counts.length];
        for (float value : values) {
            if (Float.isFinite(value) && value != 0) {
                counts[Math.getExponent(value) - Float.MIN_EXPONENT + 1]++;
            }
        }
        return new Magnitude(rows, counts);
    }

    /** That of these values and of others. */
    Magnitude plus(Magnitude others) {
        long[] sums = counts.clone();
        Arrays.setAll(sums, i -> counts[i] + others.counts[i]);
        return new Magnitude(rows + others.rows, sums);
    }

    /**
     * The power of two that fewer than one row in ten has a larger value than; 0 if there are no values. Counted by rows, because
     * few of a row's values may be large, and are roundings of that size in others.
     */
    double usual() {
        long larger = 0;
        for (int i = counts.length - 1; i >= 0; i--) {
            larger += counts[i];
            if (larger * LARGER > rows) {
                return Math.scalb(1.0, i + Float.MIN_EXPONENT);
            }
        }
        return 0;
    }

    /** Whether there are enough values to tell how large those of the same model usually are. */
    boolean isKnown() {
        return Arrays.stream(counts).sum() >= ENOUGH;
    }
}
