/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.function.IntUnaryOperator;

/**
 * B (K × N) and a bias, packed for a kind of tiles: panels of one or two vectors of columns, each with all its depth, and
 * what the checks need of them: sums of rows and norms, made once (thesis, 4.2.4). Entries below 2^-126, which training
 * leaves behind inputs that are always zero, count as zero: processors take many times longer for them. Immutable and
 * thread-safe.
 */
public final class Weights {
    private final Tiles tiles;
    private final int depth;
    private final int columns;
    private final float[] packed;
    private final float[] bias;
    private final Sums[] panels;
    /** The same with every column times its number in the panel. */
    private final Sums[] weighted;

    private final Sums all;

    /** Where the entries come from. */
    @FunctionalInterface
    public interface Entries {
        /** The entry of row k and column n. */
        float at(int k, int n);
    }

    /**
     * What is known of some columns.
     *
     * @param rows for each k the sum over the columns, summed in double and rounded once
     * @param norm the 2-norm of the sums of the absolute values
     * @param bias the sum of the biases
     * @param absoluteBias the sum of their absolute values
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
     * Packs a matrix for this JVM: for vectors if it has them.
     *
     * @param depth K, at least 1
     * @param columns N, at least 1
     * @param bias one for each column, added to every row of C
     */
    public static Weights pack(int depth, int columns, Entries entries, float[] bias) {
        return pack(TileChoice.current(), depth, columns, entries, bias);
    }

    /** Zero for what is subnormal. */
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

    /** Vectors of a panel: two, or one in the last if that is enough. */
    int vectors(int panel) {
        return Math.min(2, bias.length / tiles.lanes() - 2 * panel);
    }

    /** Whether the panel has columns of zeros at its end. */
    boolean isRagged(int panel) {
        return panel == panels.length - 1 && columns % tiles.lanes() != 0;
    }

    float[] packed() {
        return packed;
    }

    /** Where a panel's row k begins. */
    int at(int panel, int k) {
        return panel * 2 * tiles.lanes() * depth + k * vectors(panel) * tiles.lanes();
    }

    /** Biases, with zeros behind the last column. */
    float[] bias() {
        return bias;
    }

    Sums sums(int panel) {
        return panels[panel];
    }

    /** Of a panel whose columns count as often as their number in it says: 0, 1, 2 and on. */
    Sums weighted(int panel) {
        return weighted[panel];
    }

    Sums all() {
        return all;
    }
}
