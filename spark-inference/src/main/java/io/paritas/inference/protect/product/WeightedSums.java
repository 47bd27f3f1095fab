/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.Arrays;

/**
 * Two more checks of each register tile, by places: the sum of its values of C, each times the number of its row in the tile, and
 * each times the number of its column in the panel, against the same of A and B (Huang and Abraham, 1984; weighted checksums of Jou
 * and Abraham, 1986). Two wrong values that cancel in the plain sum of a tile lie in different rows or columns, and do not cancel
 * in one of these. Not thread-safe.
 */
final class WeightedSums {
    private static final int DEPTH = Product.BLOCK_DEPTH;

    private final Weights weights;
    private final Tiles tiles;
    private final float[] lanes;
    /** For each tile: sums over the rows of A, each times its number. */
    private final float[] ramps = new float[Product.BLOCK_ROWS / Tiles.ROWS * DEPTH];
    /* For each check of a tile: what is known of it before the last step of the depth. */
    private final double[] byRow;
    private final double[] byColumn;

    WeightedSums(Weights weights, int checks) {
        this.weights = weights;
        this.tiles = weights.tiles();
        this.lanes = new float[tiles.lanes()];
        this.byRow = new double[checks];
        this.byColumn = new double[checks];
    }

    void begin() {
        Arrays.fill(byRow, 0);
        Arrays.fill(byColumn, 0);
    }

    /** Sums the rows of a tile of A for all panels. */
    void sumRows(int tile, Activations.Part part, int height, int depth) {
        int at = tile * DEPTH;
        Arrays.fill(ramps, at, at + depth, 0);
        for (int row = 1; row < height; row++) {
            int from = part.at(tile * Tiles.ROWS + row);
            for (int k = 0; k < depth; k++) {
                ramps[at + k] += row * part.values()[from + k];
            }
        }
    }

    /**
     * Adds a step of the depth to a check.
     *
     * @param sums of the rows of A without weights, at the tile's place
     */
    void add(int check, int panel, int tile, int k, int depth, float[] sums) {
        byRow[check] += product(ramps, tile, weights.sums(panel).rows(), k, depth);
        byColumn[check] += product(sums, tile, weights.weighted(panel).rows(), k, depth);
    }

    private double product(float[] ofA, int tile, float[] ofB, int k, int depth) {
        Arrays.fill(lanes, 0);
        tiles.checksum(ofA, tile * DEPTH, DEPTH, 1, ofB, k, depth, lanes);
        double sum = 0;
        for (float lane : lanes) {
            sum += lane;
        }
        return sum;
    }

    /** What the rows' check says less what C and the biases are; biases are in every row. */
    double rowDifference(int check, int panel, int height, float[] c, int at, int stride, int columns) {
        double sum = 0;
        for (int row = 1; row < height; row++) {
            double ofRow = 0;
            for (int column = 0; column < columns; column++) {
                ofRow += c[at + row * stride + column];
            }
            sum += row * ofRow;
        }
        return byRow[check] + ramp(height) * weights.sums(panel).bias() - sum;
    }

    /** The same of the columns' check. */
    double columnDifference(int check, int panel, int height, float[] c, int at, int stride, int columns) {
        double sum = 0;
        for (int row = 0; row < height; row++) {
            for (int column = 1; column < columns; column++) {
                sum += (double) column * c[at + row * stride + column];
            }
        }
        return byColumn[check] + height * weights.weighted(panel).bias() - sum;
    }

    /** 0 + 1 + 2 and on, for each row of a tile. */
    private static int ramp(int height) {
        return height * (height - 1) / 2;
    }
}
