/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.function.IntUnaryOperator;

/**
 * The matrix B (K × N) with a bias, packed in panels of one or two vectors of columns, with the row sums and norms that checks
 * need, made once (thesis, 4.2.4). Entries below 2^-126 count as zero: processors take many times longer for them, and training
 * leaves them behind inputs that are always zero. Immutable and thread-safe.
 */
public final class Weights {
    private final Tiles tiles;
    private final int depth;
    private final int columns;
    private final float[] packed;
    private final float[] bias;
    private final Sums[] panels;
    /** Sums of each panel with every column times its number in the panel. */
    private final Sums[] weighted;

    private final Sums all;

    /** The entries of B. */
    @FunctionalInterface
    public interface Entries {
        /** The entry of row k and column n. */
        float at(int k, int n);
    }

    /**
     * Sums over some columns.
     *
     * @param rows for each k the sum over the columns, summed in double and rounded once
     * @param norm 2-norm of the sums of absolute values
     * @param bias sum of the biases
     * @param absoluteBias sum of their absolute values
     */
    record Sums(float[] rows, double norm, double bias, double absoluteBias) {}

    private Weights(Tiles tiles, int depth, int columns, Entries entries, float[] bias) {
        this.tiles = tiles;
        this.depth = depth;
        this.columns = columns;
        int lanes = tiles.lanes();
        int padded = (columns + lanes - 1) / lanes * lanes;
        this.packed = new float[Math.multiplyExact(padded, depth)];
        this.bias = java.util.Arrays.copyOf(bias, padded);
        this.panels = new Sums[(columns + 2 * lanes - 1) / (2 * lanes)];
        this.weighted = new Sums[panels.length];
        for (int panel = 0; panel < panels.length; panel++) {
            pack(panel, entries);
            int from = panel * 2 * lanes;
            int to = Math.min(columns, from + 2 * lanes);
            panels[panel] = sums(from, to, entries, n -> 1);
            weighted[panel] = sums(from, to, entries, n -> n - from);
        }
        this.all = sums(0, columns, entries, n -> 1);
    }

    /**
     * Packs a matrix for this JVM.
     *
     * @param depth K, at least 1
     * @param columns N, at least 1
     * @param bias a value for each column, added to every row of C
     */
    public static Weights pack(int depth, int columns, Entries entries, float[] bias) {
        return pack(TileChoice.current(), depth, columns, entries, bias);
    }

    /** The entry; zero if it is subnormal. */
    private static float normal(float entry) {
        return Math.abs(entry) < Float.MIN_NORMAL ? 0 : entry;
    }

    static Weights pack(Tiles tiles, int depth, int columns, Entries entries, float[] bias) {
        if (depth < 1 || columns < 1 || bias.length != columns) {
            throw new IllegalArgumentException("a matrix needs rows, columns and a bias for each column, got " + depth
                    + " x " + columns + " and " + bias.length + " biases");
        }
        return new Weights(tiles, depth, columns, (k, n) -> normal(entries.at(k, n)), bias);
    }

    private void pack(int panel, Entries entries) {
        int width = vectors(panel) * tiles.lanes();
        int first = panel * 2 * tiles.lanes();
        for (int j = 0; j < width && first + j < columns; j++) {
            for (int k = 0; k < depth; k++) {
                packed[at(panel, k) + j] = entries.at(k, first + j);
            }
        }
    }

    private Sums sums(int from, int to, Entries entries, IntUnaryOperator weight) {
        float[] rows = new float[depth];
        double squares = 0;
        for (int k = 0; k < depth; k++) {
            double sum = 0;
            double absolute = 0;
            for (int n = from; n < to; n++) {
                double entry = (double) weight.applyAsInt(n) * entries.at(k, n);
                sum += entry;
                absolute += Math.abs(entry);
            }
            rows[k] = (float) sum;
            squares += absolute * absolute;
        }
        double biases = 0;
        double absolute = 0;
        for (int n = from; n < to; n++) {
            double value = (double) weight.applyAsInt(n) * bias[n];
            biases += value;
            absolute += Math.abs(value);
        }
        return new Sums(rows, Math.sqrt(squares), biases, absolute);
    }

    Tiles tiles() {
        return tiles;
    }

    /** K. */
    public int depth() {
        return depth;
    }

    /** N. */
    public int columns() {
        return columns;
    }

    int panels() {
        return panels.length;
    }

    /** Vectors of a panel: two, or one in the last panel if that is enough. */
    int vectors(int panel) {
        return Math.min(2, bias.length / tiles.lanes() - 2 * panel);
    }

    /** Whether columns of zeros pad the panel. */
    boolean isRagged(int panel) {
        return panel == panels.length - 1 && columns % tiles.lanes() != 0;
    }

    /** A step of the depth of a panel, from row k on. */
    PanelPart part(int panel, int k, int steps) {
        return new PanelPart(packed, at(panel, k), vectors(panel), steps);
    }

    /** Index of the first value of a panel's row k. */
    private int at(int panel, int k) {
        return panel * 2 * tiles.lanes() * depth + k * vectors(panel) * tiles.lanes();
    }

    /** Biases, padded with zeros. */
    float[] bias() {
        return bias;
    }

    Sums sums(int panel) {
        return panels[panel];
    }

    /** Sums of a panel whose columns are weighted by 0, 1, 2, … */
    Sums weighted(int panel) {
        return weighted[panel];
    }

    Sums all() {
        return all;
    }
}
