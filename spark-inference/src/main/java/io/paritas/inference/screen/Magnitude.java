/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.Arrays;

/**
 * How large some rows are: how many there are of each power of two, by the largest of a row's values that are finite. Rows without a
 * value but zero are of none. Immutable.
 */
final class Magnitude {
    static final Magnitude NONE = new Magnitude(0, 0, new long[Float.MAX_EXPONENT - Float.MIN_EXPONENT + 2]);

    /** A few values may all be near zero by chance. */
    private static final int ENOUGH = 8;

    /** One row in so many may have a larger value than what is usual: one that stands for "none", say, as -1e9 does in masks. */
    private static final int LARGER = 10;

    private final long rows;
    private final long values;
    private final long[] counts;

    private Magnitude(long rows, long values, long[] counts) {
        this.rows = rows;
        this.values = values;
        this.counts = counts;
    }

    /** @param values of the rows, one after the other, as many of each */
    static Magnitude of(int rows, float... values) {
        long[] counts = new long[NONE.counts.length];
        int size = rows == 0 ? 0 : values.length / rows;
        long known = 0;
        for (int row = 0; row < rows; row++) {
            float largest = 0;
            for (int i = row * size; i < (row + 1) * size; i++) {
                if (Float.isFinite(values[i]) && values[i] != 0) {
                    largest = Math.max(largest, Math.abs(values[i]));
                    known++;
                }
            }
            if (largest > 0) {
                counts[Math.getExponent(largest) - Float.MIN_EXPONENT + 1]++;
            }
        }
        return new Magnitude(rows, known, counts);
    }

    /** That of these rows and of others. */
    Magnitude plus(Magnitude others) {
        long[] sums = counts.clone();
        Arrays.setAll(sums, i -> counts[i] + others.counts[i]);
        return new Magnitude(rows + others.rows, values + others.values, sums);
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
        return values >= ENOUGH;
    }
}
