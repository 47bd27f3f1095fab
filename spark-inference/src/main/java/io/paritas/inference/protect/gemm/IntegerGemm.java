/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Arrays;

/**
 * An exact matrix product C = A · B of bytes into ints, checked exactly. A step of the depth is multiplied in float32, where every
 * sum is an integer below 2^24 and so exact; steps are added as ints. Checks compare sums modulo 2^32: they need no bound, raise
 * no false alarm, and find every single wrong value. Immutable and thread-safe.
 */
final class IntegerGemm {
    /** The sum of this many products of bytes, each at most 2^14, is below 2^31. */
    private static final int MOST_DEPTH = 1 << 16;

    private final Weights weights;
    private final int width;
    /* Sums of the rows of B: for each panel, then for all columns. */
    private final int[][] sums;

    /**
     * A product with a matrix.
     *
     * @param b K × N, row by row
     * @param depth K, 1 to 65536
     * @param columns N, at least 1
     */
    public IntegerGemm(byte[] b, int depth, int columns) {
        this(TileChoice.current(), b, depth, columns);
    }

    IntegerGemm(Tiles tiles, byte[] b, int depth, int columns) {
        if (depth > MOST_DEPTH || (long) depth * columns != b.length) {
            throw new IllegalArgumentException("a matrix of bytes needs K x N of them with K at most " + MOST_DEPTH
                    + ", or sums would not fit an int; got " + depth + " x " + columns + " and " + b.length + " bytes");
        }
        this.weights = Weights.pack(tiles, depth, columns, (k, n) -> b[k * columns + n], new float[columns]);
        this.width = 2 * tiles.lanes();
        this.sums = new int[weights.panels() + 1][depth];
        for (int k = 0; k < depth; k++) {
            for (int n = 0; n < columns; n++) {
                sums[n / width][k] += b[k * columns + n];
                sums[weights.panels()][k] += b[k * columns + n];
            }
        }
    }

    /** Sees C before the check; for tests. */
    @FunctionalInterface
    interface IntegerProbe {
        void computed(int[] c);
    }

    /**
     * Computes and checks C.
     *
     * @param a M × K, row by row
     * @param rows M
     * @param c M × N, overwritten
     * @param scheme none, global, thread or two-sided
     * @throws IllegalArgumentException for other schemes
     */
    public Findings run(byte[] a, int rows, int[] c, Scheme scheme) {
        return run(a, rows, c, scheme, computed -> {});
    }

    Findings run(byte[] a, int rows, int[] c, Scheme scheme, IntegerProbe probe) {
        if (scheme == Scheme.WEIGHTED || scheme == Scheme.REPLICATION || scheme == Scheme.DUPLICATION) {
            throw new IllegalArgumentException(
                    "products of bytes are checked by global, thread or two-sided, which are exact; got " + scheme);
        }
        multiply(a, rows, c);
        probe.computed(c);
        return switch (scheme) {
            case NONE -> Findings.NONE;
            case GLOBAL -> check(a, rows, c, Gemm.BLOCK_ROWS, weights.columns());
            default -> check(a, rows, c, Tiles.ROWS, Math.min(width, weights.columns()));
        };
    }

    private void multiply(byte[] a, int rows, int[] c) {
        Arrays.fill(c, 0, rows * weights.columns(), 0);
        float[] part = new float[Tiles.ROWS * Gemm.BLOCK_DEPTH];
        float[] tile = new float[Tiles.ROWS * width];
        for (int row = 0; row < rows; row += Tiles.ROWS) {
            int height = Math.min(Tiles.ROWS, rows - row);
            for (int k = 0; k < weights.depth(); k += Gemm.BLOCK_DEPTH) {
                int depth = Math.min(Gemm.BLOCK_DEPTH, weights.depth() - k);
                for (int i = 0; i < height; i++) {
                    for (int j = 0; j < depth; j++) {
                        part[i * depth + j] = a[(row + i) * weights.depth() + k + j];
                    }
                }
                MatrixPart left = new MatrixPart(part, 0, depth, height);
                MatrixPart product = new MatrixPart(tile, 0, width, height);
                for (int panel = 0; panel < weights.panels(); panel++) {
                    Arrays.fill(tile, 0);
                    weights.tiles().multiply(left, weights.part(panel, k, depth), product);
                    add(tile, height, panel, c, row);
                }
            }
        }
    }

    private void add(float[] tile, int height, int panel, int[] c, int row) {
        int columns = Math.min(width, weights.columns() - panel * width);
        for (int i = 0; i < height; i++) {
            int at = (row + i) * weights.columns() + panel * width;
            for (int j = 0; j < columns; j++) {
                c[at + j] += (int) tile[i * width + j];
            }
        }
    }

    /** Compares parts of {@code height} × {@code columns}; ints wrap around on both sides alike. */
    private Findings check(byte[] a, int rows, int[] c, int height, int columns) {
        long checks = 0;
        long faults = 0;
        int[] rowSums = new int[weights.depth()];
        for (int row = 0; row < rows; row += height) {
            int to = Math.min(rows, row + height);
            Arrays.fill(rowSums, 0);
            for (int i = row; i < to; i++) {
                for (int k = 0; k < rowSums.length; k++) {
                    rowSums[k] += a[i * rowSums.length + k];
                }
            }
            for (int column = 0; column < weights.columns(); column += columns) {
                int[] ofB = columns == weights.columns() ? sums[weights.panels()] : sums[column / width];
                int last = Math.min(weights.columns(), column + columns);
                checks++;
                faults += product(rowSums, ofB) == total(c, row, to, column, last) ? 0 : 1;
            }
        }
        return new Findings(checks, 0, faults);
    }

    private static int product(int[] left, int[] right) {
        int sum = 0;
        for (int k = 0; k < left.length; k++) {
            sum += left[k] * right[k];
        }
        return sum;
    }

    private int total(int[] c, int row, int toRow, int column, int toColumn) {
        int sum = 0;
        for (int i = row; i < toRow; i++) {
            for (int j = column; j < toColumn; j++) {
                sum += c[i * weights.columns() + j];
            }
        }
        return sum;
    }
}
