/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;

/**
 * Two weighted checksums of each register tile: the sum of its values of C, each times the number of its row in the tile, and each
 * times the number of its column in the panel, against the same sums of A and B (Huang and Abraham, 1984; weighted checksums: Jou
 * and Abraham, 1986). Two wrong values that cancel in the plain sum of a tile lie in different rows or columns, so they do not
 * cancel in both of these. Not thread-safe.
 */
final class WeightedSums {
    private static final int DEPTH = Gemm.BLOCK_DEPTH;

    private final float[] lanes;
    /** Sums over the rows of A for each tile, each row times its number. */
    private final float[] ramps = new float[Gemm.BLOCK_ROWS / Tiles.ROWS * DEPTH];

    private final MatrixPart[] rampRows = new MatrixPart[Gemm.BLOCK_ROWS / Tiles.ROWS];
    /* Checksums of each tile, summed over the steps of the depth. */
    private double[] byRow = {};
    private double[] byColumn = {};

    private Weights weights;
    private Tiles tiles;

    /** @param lanes values of a vector of the tiles */
    WeightedSums(int lanes) {
        this.lanes = new float[lanes];
        Arrays.setAll(rampRows, tile -> new MatrixPart(ramps, tile * DEPTH, DEPTH, 1));
    }

    /** Begins a product with these weights. */
    void open(Weights of, int checks) {
        weights = of;
        tiles = of.tiles();
        byRow = byRow.length < checks ? new double[checks] : byRow;
        byColumn = byColumn.length < checks ? new double[checks] : byColumn;
    }

    /** Ends the product. */
    void close() {
        weights = null;
        tiles = null;
    }

    void begin(int checks) {
        Arrays.fill(byRow, 0, checks, 0);
        Arrays.fill(byColumn, 0, checks, 0);
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
     * @param sums unweighted sums over the rows of A, for each tile
     */
    void add(int check, int panel, int tile, int k, int depth, MatrixPart[] sums) {
        byRow[check] += product(rampRows[tile], weights.sums(panel).rows(), k, depth);
        byColumn[check] += product(sums[tile], weights.weighted(panel).rows(), k, depth);
    }

    private double product(MatrixPart ofA, float[] ofB, int k, int depth) {
        Arrays.fill(lanes, 0);
        tiles.checksum(ofA, ofB, k, depth, lanes);
        double sum = 0;
        for (float lane : lanes) {
            sum += lane;
        }
        return sum;
    }

    /** The row checksum with biases, which every row has, less the sum of C with rows weighted. */
    double rowDifference(int check, int panel, MatrixPart c, int columns) {
        double sum = 0;
        for (int row = 1; row < c.rows(); row++) {
            double ofRow = 0;
            for (int column = 0; column < columns; column++) {
                ofRow += c.values()[c.at(row) + column];
            }
            sum += row * ofRow;
        }
        return byRow[check] + ramp(c.rows()) * weights.sums(panel).bias() - sum;
    }

    /** The column checksum with biases less the sum of C with columns weighted. */
    double columnDifference(int check, int panel, MatrixPart c, int columns) {
        double sum = 0;
        for (int row = 0; row < c.rows(); row++) {
            for (int column = 1; column < columns; column++) {
                sum += (double) column * c.values()[c.at(row) + column];
            }
        }
        return byColumn[check] + c.rows() * weights.weighted(panel).bias() - sum;
    }

    /** 0 + 1 + … + (height − 1). */
    private static int ramp(int height) {
        return height * (height - 1) / 2;
    }
}
