/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Ways to find a wrong value in a matrix product C = A · B (thesis, chapter 4).
 */
public enum Scheme {
    /** No check. */
    NONE("none"),
    /**
     * One check for each block of rows: the sum of the block of C against the column sums of A times the row sums of B, which are
     * made when the weights are packed. The least work beside a large product.
     */
    GLOBAL("global"),
    /**
     * One-sided, for each register tile: the sum of the tile against A times the row sums of its panel, which are kept with it.
     */
    THREAD("thread"),
    /** As {@link #THREAD}, but with the sum of the tile's rows of A, made once for all panels. */
    TWO_SIDED("two-sided"),
    /**
     * As {@link #TWO_SIDED}, with two more sums of each tile, weighted by the positions of values. They find any two wrong values of
     * a tile, also those that cancel in the plain sum ({@link WeightedSums}).
     */
    WEIGHTED("weighted"),
    /** Computes every product of a tile again, into single accumulators whose sum is compared with the tile's. */
    REPLICATION("replication"),
    /** Computes every tile again and compares bit by bit. */
    DUPLICATION("duplication");

    private final String text;

    Scheme(String text) {
        this.text = text;
    }

    /**
     * Multiplications (each with an addition) of this scheme's checks, beside the M · N · K of the product.
     *
     * @param m rows of A
     * @param n columns of B
     * @param k columns of A
     * @param panel columns of a panel
     * @param block rows of a block
     */
    public long redundantOperations(long m, long n, long k, int panel, int block) {
        long panels = (n + panel - 1) / panel;
        return switch (this) {
            case NONE -> 0;
            case GLOBAL -> (m + block - 1) / block * k;
            case THREAD -> m * panels * k;
            case TWO_SIDED -> (m + Tiles.ROWS - 1) / Tiles.ROWS * panels * k;
            case WEIGHTED -> 3 * TWO_SIDED.redundantOperations(m, n, k, panel, block);
            case REPLICATION, DUPLICATION -> m * n * k;
        };
    }

    /**
     * The scheme of a name, in any case.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static Scheme named(String name) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.text.equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a scheme is one of "
                        + Arrays.stream(values()).map(Scheme::toString).collect(Collectors.joining(", ")) + "; got '"
                        + name + "'"));
    }

    /** The name, for example {@code two-sided}. */
    @Override
    public String toString() {
        return text;
    }
}
