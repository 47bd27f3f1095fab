/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Ways to find a wrong value in a product C = A · B (thesis, chapter 4). M, N and K are the product's sizes, R the rows of a
 * register tile, P the columns of a panel. Operations are multiplications with an addition, beside M · N · K of the product.
 */
public enum Scheme {
    /** No check. */
    NONE("none"),
    /**
     * One check for each block of rows that one thread works on: the sum of the block of C against the column sums of A times
     * the row sums of B. These are made when the weights are packed. N = all columns; the least work beside a large product.
     */
    GLOBAL("global"),
    /**
     * One-sided, for each register tile: its sum against A times the row sums of its panel, which are kept with the panel.
     */
    THREAD("thread"),
    /** As {@link #THREAD}, but the rows of the tile are summed first, once for all panels. */
    TWO_SIDED("two-sided"),
    /**
     * As {@link #TWO_SIDED}, with two more sums of each tile that are weighted by the places of values, so that any two wrong values
     * of a tile are found, also those that cancel ({@link WeightedSums}).
     */
    WEIGHTED("weighted"),
    /** Every product of a tile once more, all into single accumulators that are compared with the tile's sum. */
    REPLICATION("replication"),
    /** Every tile once more, into accumulators of its own, and compared bit by bit. */
    DUPLICATION("duplication");

    private final String text;

    Scheme(String text) {
        this.text = text;
    }

    /**
     * Multiplications that this scheme makes for its checksum products, beside those of the product.
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
