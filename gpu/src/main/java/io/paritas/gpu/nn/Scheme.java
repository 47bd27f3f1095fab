/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Ways to find a wrong value in a product C = A · B while it is computed (thesis, chapter 4). They find what goes wrong in
 * arithmetic and its registers, once: memories are protected by codes of their own. A wrong value that is off by less than
 * rounding may be is not found, except by {@link #DUPLICATION}.
 */
public enum Scheme {
    /** No check. */
    NONE("none"),
    /**
     * Of each 64 rows of C the sum, against the column sums of A times the row sums of B. Those of A are made where A is
     * computed, by the product before; those of B when the weights are packed. The least arithmetic, and one more launch.
     */
    GLOBAL("global"),
    /**
     * As {@link #THREAD}, with the sums of columns rounded to float16, as the thesis has it: half as many more
     * instructions, and a larger tolerance, 36 times for K = 48. For {@link Precision#HALF} only.
     */
    THREAD_HALF("thread-half"),
    /**
     * One-sided, by each thread for what it computes: of each of its rows the sum of C, against A times the sum of its
     * columns of B. Needs nothing from memory but a norm of each row. In {@link Precision#HALF} the sum of columns has two
     * terms of float16, so that nearly nothing of it is lost.
     */
    THREAD("thread"),
    /**
     * As {@link #THREAD}, and a thread's rows are summed too. Rows of float16 whose norms add up to more than 65504 remain
     * unchecked.
     */
    TWO_SIDED("two-sided"),
    /** Every product once more, a thread's all into few registers, which are compared with the sum of C. */
    REPLICATION("replication"),
    /** Every product once more, into as many registers, which are compared bit by bit. */
    DUPLICATION("duplication");

    private final String text;

    Scheme(String text) {
        this.text = text;
    }

    /** Whether it can be used. */
    public boolean supports(Precision precision) {
        return this != THREAD_HALF || precision == Precision.HALF;
    }

    /** Whether it compares with a tolerance, and so needs norms. */
    boolean needsNorms() {
        return this != NONE && this != DUPLICATION;
    }

    /** Whether it sums columns of B in float16. */
    boolean sumsHalves() {
        return this == THREAD_HALF || this == THREAD || this == TWO_SIDED;
    }

    /** As in the names of kernels. */
    String kernel() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scheme of a name, as {@link #toString} gives it. */
    public static Scheme named(String name) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.text.equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a scheme is one of "
                        + Arrays.stream(values()).map(Scheme::toString).collect(Collectors.joining(", ")) + "; got '"
                        + name + "'"));
    }

    /** For example {@code two-sided}. */
    @Override
    public String toString() {
        return text;
    }
}
