/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Ways to find wrong values of C = A · B while it is computed (thesis, chapter 4). They find single faults in arithmetic and
 * its registers; memories have error-correcting codes of their own. An error smaller than rounding can be is found by
 * {@link #DUPLICATION} only.
 */
public enum Scheme {
    /** No check. */
    NONE("none"),
    /**
     * Compares the sum of each 64 rows of C with the sum of these rows of A times the row sums of B, which were computed when the
     * weights were packed. The first tiles of the rows multiply them, in float32, beside the product. The least arithmetic.
     */
    GLOBAL("global"),
    /**
     * As {@link #THREAD}, with the sums of columns rounded to float16, as in the thesis: half as many extra instructions, and
     * a larger tolerance, 36 times for K = 48. For {@link Precision#HALF} only.
     */
    THREAD_HALF("thread-half"),
    /**
     * One-sided, by each thread for the values that it computes: compares the sum of C in each of its rows with A times the
     * sum of its columns of B. It reads nothing more but the norm of each row. In {@link Precision#HALF} the sum of columns has two
     * terms of float16, so nearly nothing of it is lost.
     */
    THREAD("thread"),
    /**
     * As {@link #THREAD}, with the thread's rows summed as well. Rows of float16 whose norms add up to more than 65504 stay
     * unchecked.
     */
    TWO_SIDED("two-sided"),
    /** Multiplies everything twice, the second time into few registers, which are compared with the sum of C. */
    REPLICATION("replication"),
    /** Multiplies everything twice, into as many registers, which are compared bit by bit. */
    DUPLICATION("duplication");

    private final String text;

    Scheme(String text) {
        this.text = text;
    }

    /** Returns whether the scheme can check this precision. */
    public boolean supports(Precision precision) {
        return this != THREAD_HALF || precision == Precision.HALF;
    }

    /** Returns whether it compares with a tolerance, and so needs norms. */
    public boolean needsNorms() {
        return this != NONE && this != DUPLICATION;
    }

    /** Returns how many comparisons the check of a product makes: of each block of rows, or of each thread. */
    public long comparisons(int rows, int columns) {
        return switch (this) {
            case NONE -> 0;
            case GLOBAL -> Weights.blocks(rows);
            default -> (long) Weights.blocks(rows) * Weights.blocks(columns) * CheckedWeights.THREADS;
        };
    }

    /** Returns whether it sums columns of B in float16. */
    boolean sumsHalves() {
        return this == THREAD_HALF || this == THREAD || this == TWO_SIDED;
    }

    /** The name in the names of kernels. */
    String kernel() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the scheme with a name, as {@link #toString} gives it. */
    public static Scheme named(String name) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.text.equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a scheme must be one of "
                        + Arrays.stream(values()).map(Scheme::toString).collect(Collectors.joining(", ")) + ", got '"
                        + name + "'"));
    }

    /** The name, for example {@code two-sided}. */
    @Override
    public String toString() {
        return text;
    }
}
