/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;

/** Computes and checks blocks of rows of C for one thread, of one product after another. Not thread-safe. */
final class BlockRun {
    private static final int TILES = Gemm.BLOCK_ROWS / Tiles.ROWS;
    private static final int DEPTH = Gemm.BLOCK_DEPTH;

    private final int width;
    private final Activations.Part part = new Activations.Part();
    private final float[] lanes;
    /** The block's tiles of A, for the current step of the depth. */
    private final MatrixPart[] left = new MatrixPart[TILES];
    /** The last panel of C, if columns of zeros pad it. */
    private final float[] ragged;
    /** The duplicate of a tile of C. */
    private final float[] second;
    /** Sums over the rows of A for each tile, then for the block. */
    private final float[] sums = new float[(TILES + 1) * DEPTH];

    private final MatrixPart[] sumRows = new MatrixPart[TILES + 1];

    private final double[] squares = new double[TILES];
    private final WeightedSums weighted;
    private double[] checks = {};
    private double blockDistance;
    private double blockSquares;

    private Weights weights;
    private Tiles tiles;
    private Scheme scheme;
    private Probe probe;
    private ErrorBound bound;
    private Gemm.Target c;
    private int firstRow;
    private int rows;
    private long compared;
    private long unchecked;
    private long faults;

    /** @param lanes values of a vector of the tiles */
    BlockRun(int lanes) {
        this.width = 2 * lanes;
        this.lanes = new float[lanes];
        this.ragged = new float[Gemm.BLOCK_ROWS * width];
        this.second = new float[Tiles.ROWS * width];
        this.weighted = new WeightedSums(lanes);
        Arrays.setAll(sumRows, tile -> new MatrixPart(sums, tile * DEPTH, DEPTH, 1));
    }

    /** Begins a product with these weights. */
    void open(Weights of) {
        weights = of;
        tiles = of.tiles();
        checks = checks.length < count() ? new double[count()] : checks;
        weighted.open(of, count());
    }

    /** The number of checks of a block. The arrays may be longer, for products before. */
    private int count() {
        return TILES * weights.panels();
    }

    /** Ends the product, and forgets what belongs to it. */
    void close() {
        weights = null;
        tiles = null;
        probe = null;
        c = null;
        Arrays.fill(left, null);
        part.fill(0);
        weighted.close();
    }

    Findings block(Activations a, int from, int count, Gemm.Target target, Scheme by, Probe watching) {
        begin(from, count, target, by, watching);
        for (int k = 0; k < weights.depth(); k += DEPTH) {
            int depth = Math.min(DEPTH, weights.depth() - k);
            a.show(from, count, k, depth, part);
            for (int row = 0; row < count; row += Tiles.ROWS) {
                left[row / Tiles.ROWS] = new MatrixPart(part.values(), part.at(row), part.stride(), height(row));
            }
            if (scheme != Scheme.NONE && scheme != Scheme.DUPLICATION) {
                sumRows(k, depth);
            }
            boolean last = k + depth == weights.depth();
            for (int panel = 0; panel < weights.panels(); panel++) {
                PanelPart right = weights.part(panel, k, depth);
                for (int row = 0; row < count; row += Tiles.ROWS) {
                    tile(panel, row, k, right, last);
                }
            }
        }
        finishRagged();
        if (scheme == Scheme.GLOBAL) {
            compareBlock();
        }
        return new Findings(compared, unchecked, faults);
    }

    private void begin(int from, int count, Gemm.Target target, Scheme by, Probe watching) {
        scheme = by;
        probe = watching;
        c = target;
        firstRow = from;
        rows = count;
        compared = 0;
        unchecked = 0;
        faults = 0;
        blockDistance = 0;
        blockSquares = 0;
        bound = ErrorBound.of(scheme, weights.depth(), DEPTH, tiles.lanes());
        Arrays.fill(squares, 0);
        Arrays.fill(checks, 0, count(), 0);
        weighted.begin(count());
        int last = weights.panels() - 1;
        int whole = weights.isRagged(last) ? last * width : weights.columns();
        for (int row = 0; row < rows; row++) {
            System.arraycopy(weights.bias(), 0, c.values(), at(row), whole);
            if (weights.isRagged(last)) {
                System.arraycopy(weights.bias(), whole, ragged, row * width, weights.vectors(last) * tiles.lanes());
            }
        }
    }

    private int at(int row) {
        return c.at() + (firstRow + row) * c.stride();
    }

    /** Sums and norms of A. */
    private void sumRows(int k, int depth) {
        boolean together = scheme == Scheme.GLOBAL;
        Arrays.fill(sums, TILES * DEPTH, TILES * DEPTH + depth, 0);
        Arrays.fill(lanes, 0);
        for (int tile = 0; tile * Tiles.ROWS < rows; tile++) {
            int row = tile * Tiles.ROWS;
            int at = tile * DEPTH;
            tiles.columns(left[tile], depth, sums, at, lanes);
            if (together) {
                for (int i = 0; i < depth; i++) {
                    sums[TILES * DEPTH + i] += sums[at + i];
                }
            } else {
                squares[tile] += squares(row, height(row), depth);
                Arrays.fill(lanes, 0);
                if (scheme == Scheme.WEIGHTED) {
                    weighted.sumRows(tile, part, height(row), depth);
                }
            }
        }
        if (together) {
            blockSquares += squares(0, rows, depth);
            Arrays.fill(lanes, 0);
            tiles.checksum(sumRows[TILES], weights.all().rows(), k, depth, lanes);
            blockDistance += folded();
        }
    }

    private int height(int row) {
        return Math.min(Tiles.ROWS, rows - row);
    }

    /** Folds the squares of some rows; sums them again in double if they overflow float32. */
    private double squares(int row, int count, int depth) {
        double sum = folded();
        if (Double.isFinite(sum)) {
            return sum;
        }
        sum = 0;
        for (int i = row; i < row + count; i++) {
            for (int k = 0; k < depth; k++) {
                double x = part.values()[part.at(i) + k];
                sum += x * x;
            }
        }
        return sum;
    }

    private double folded() {
        float even = 0;
        float odd = 0;
        for (int i = 0; i < lanes.length; i += 4) {
            even += lanes[i] + lanes[i + 1];
            odd += lanes[i + 2] + lanes[i + 3];
        }
        return (double) even + odd;
    }

    private void tile(int panel, int row, int k, PanelPart right, boolean last) {
        MatrixPart a = left[row / Tiles.ROWS];
        MatrixPart to = weights.isRagged(panel)
                ? new MatrixPart(ragged, row * width, width, a.rows())
                : new MatrixPart(c.values(), at(row) + panel * width, c.stride(), a.rows());
        if (scheme == Scheme.DUPLICATION) {
            copy(to, right.vectors());
        }
        tiles.multiply(a, right, to);
        if (last) {
            int columns = Math.min(width, weights.columns() - panel * width);
            probe.computed(to.values(), to.at(), to.stride(), firstRow + row, to.rows(), panel * width, columns);
        }
        switch (scheme) {
            case NONE -> {}
            case DUPLICATION -> compareCopy(panel, row, right, to);
            case GLOBAL -> {
                if (last) {
                    addToBlock(row, to, right.vectors());
                }
            }
            default -> {
                int check = panel * TILES + row / Tiles.ROWS;
                Arrays.fill(lanes, 0);
                addChecksums(panel, row, k, right);
                if (scheme == Scheme.WEIGHTED) {
                    weighted.add(check, panel, row / Tiles.ROWS, k, right.depth(), sumRows);
                }
                if (!last) {
                    checks[check] += folded();
                    return;
                }
                tiles.subtract(to, right.vectors(), lanes);
                double distance = checks[check] + folded();
                if (scheme == Scheme.WEIGHTED) {
                    compareWeighted(panel, row, distance, to);
                } else {
                    Weights.Sums known = weights.sums(panel);
                    compare(firstRow + row, panel * width, to, width, squares[row / Tiles.ROWS], known, distance);
                }
            }
        }
    }

    private void addChecksums(int panel, int row, int k, PanelPart right) {
        float[] column = weights.sums(panel).rows();
        switch (scheme) {
            case THREAD -> tiles.checksum(left[row / Tiles.ROWS], column, k, right.depth(), lanes);
            case TWO_SIDED, WEIGHTED -> tiles.checksum(sumRows[row / Tiles.ROWS], column, k, right.depth(), lanes);
            default -> tiles.replicate(left[row / Tiles.ROWS], right, lanes);
        }
    }

    /** Sums the tiles of a panel by lanes, and folds them after the last. */
    private void addToBlock(int row, MatrixPart to, int vectors) {
        if (row == 0) {
            Arrays.fill(lanes, 0);
        }
        tiles.subtract(to, vectors, lanes);
        if (row + Tiles.ROWS >= rows) {
            blockDistance += folded();
        }
    }

    /** Compares three sums of a tile, which together are one check. */
    private void compareWeighted(int panel, int row, double distance, MatrixPart to) {
        int height = height(row);
        int check = panel * TILES + row / Tiles.ROWS;
        int columns = Math.min(width, weights.columns() - panel * width);
        double square = squares[row / Tiles.ROWS];
        Weights.Sums known = weights.sums(panel);
        double tolerance = tolerance(height, square, known, width);
        double ofColumns = tolerance(height, square, weights.weighted(panel), width * width);
        double difference = distance + height * known.bias();
        double byRow = weighted.rowDifference(check, panel, to, columns);
        double byColumn = weighted.columnDifference(check, panel, to, columns);
        boolean finite = Double.isFinite(difference + byRow + byColumn);
        if (!Double.isFinite(tolerance)
                || !Double.isFinite(ofColumns)
                || (!finite && overflows(to, width, panel * width, square, known))
                || (!finite && overflows(to, width, panel * width, square, weights.weighted(panel)))) {
            unchecked++;
            return;
        }
        compared++;
        boolean wrong = exceeds(firstRow + row, panel * width, difference, tolerance);
        wrong |= exceeds(firstRow + row, panel * width, byRow, (Tiles.ROWS - 1) * tolerance);
        wrong |= exceeds(firstRow + row, panel * width, byColumn, ofColumns);
        faults += wrong ? 1 : 0;
    }

    private double tolerance(int height, double square, Weights.Sums known, int columns) {
        long values = (long) height * weights.depth();
        return bound.tolerance(
                height, square, values, known.norm(), height * known.absoluteBias(), (double) values * columns);
    }

    private void compareBlock() {
        MatrixPart all = new MatrixPart(c.values(), at(0), c.stride(), rows);
        compare(firstRow, 0, all, weights.columns(), blockSquares, weights.all(), blockDistance);
    }

    /**
     * Compares two sums.
     *
     * @param values the part of C from this row and column on
     * @param columns of it, with those that pad it
     */
    private void compare(
            int row, int column, MatrixPart values, int columns, double square, Weights.Sums known, double distance) {
        int height = values.rows();
        double difference = distance + height * known.bias();
        double tolerance = tolerance(height, square, known, columns);
        if (!Double.isFinite(tolerance) // inputs are not finite, so C need not be
                || (!Double.isFinite(difference) && overflows(values, columns, column, square, known))) {
            unchecked++;
            return;
        }
        compared++;
        faults += exceeds(row, column, difference, tolerance) ? 1 : 0;
    }

    /** Whether the sums of a check may be beyond float32 though no value of its part of C is: then they say nothing. */
    private boolean overflows(MatrixPart values, int columns, int column, double square, Weights.Sums known) {
        int height = values.rows();
        int count = Math.min(columns, weights.columns() - column);
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < count; j++) {
                if (!Float.isFinite(values.values()[values.at(i) + j])) {
                    return false;
                }
            }
        }
        return bound.mayOverflow(
                height, square, (long) height * weights.depth(), known.norm(), height * known.absoluteBias());
    }

    /** @param difference a checksum less the sum of its part of C */
    private boolean exceeds(int row, int column, double difference, double tolerance) {
        double distance = Math.abs(probe.checksum(row, column, difference));
        probe.compared(row, column, distance, tolerance);
        return !(distance <= tolerance);
    }

    /** Copies a tile of C as it is before a step of the depth. */
    private void copy(MatrixPart from, int vectors) {
        for (int i = 0; i < from.rows(); i++) {
            System.arraycopy(from.values(), from.at(i), second, i * width, vectors * tiles.lanes());
        }
    }

    private void compareCopy(int panel, int row, PanelPart right, MatrixPart to) {
        tiles.multiply(left[row / Tiles.ROWS], right, new MatrixPart(second, 0, width, to.rows()));
        boolean equal = true;
        int valid = right.vectors() * tiles.lanes();
        for (int i = 0; i < to.rows(); i++) {
            equal &= Arrays.equals(to.values(), to.at(i), to.at(i) + valid, second, i * width, i * width + valid);
        }
        compared++;
        probe.compared(firstRow + row, panel * width, equal ? 0 : Double.POSITIVE_INFINITY, 0);
        faults += equal ? 0 : 1;
    }

    /** Copies the last panel into C without its padding. */
    private void finishRagged() {
        int last = weights.panels() - 1;
        if (weights.isRagged(last)) {
            for (int row = 0; row < rows; row++) {
                System.arraycopy(
                        ragged, row * width, c.values(), at(row) + last * width, weights.columns() - last * width);
            }
        }
    }
}
