/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * The largest distance between the sum of a part of C and its checksum without a fault, in float32 with u = 2^-24.
 *
 * <p>A sum of products, each of which passes at most d roundings on its way, is within γ(d) · Σ|a||b| of the exact one, with
 * γ(d) = d·u / (1 − d·u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). Both sides of a check are such sums
 * of the same exact value, one over the columns of B in C, one over their checksums; so their distance is at most γ(d) times
 * S = Σ_r Σ_k |a_rk| t_k + Σ|bias|, with t_k = Σ_j |b_kj| and d the roundings of both sides together. By Cauchy and Schwarz,
 * twice, S ≤ √R · ‖A‖_F · ‖t‖_2 + Σ|bias| for R rows: norms of the operands; that of the weights is computed in advance.
 *
 * <p>The bound is never exceeded by rounding, so a clean product is never reported. A value that is off by more than twice
 * the bound is always found.
 *
 * @param roundings d
 */
record ErrorBound(int roundings) {
    private static final double UNIT = 0x1p-24;
    /** A product or a square in the subnormal range loses at most this. */
    private static final double LEAST_PRODUCT = 0x1p-149;

    private static final double LEAST_SQUARE = 0x1p-126;
    /** Some rows are multiplied by their number, which is less than 8. */
    private static final double LARGE_SUM = Float.MAX_VALUE / 8;

    /**
     * The bound of a scheme.
     *
     * @param depth K
     * @param block columns of A in a step of the depth
     * @param lanes values of a vector
     */
    static ErrorBound of(Scheme scheme, int depth, int block, int lanes) {
        int atOnce = Math.min(depth, block);
        int blocks = (depth + block - 1) / block;
        int product = atOnce + 5 + blocks; // a rounding for each product and sum, then blocks and the bias added
        int steps = (atOnce + lanes - 1) / lanes;
        int fold = lanes / 4 + 1;
        int check =
                switch (scheme) {
                    case NONE, DUPLICATION -> 0;
                    case REPLICATION -> 2 * Tiles.ROWS * atOnce;
                    case THREAD -> Tiles.ROWS * (steps + 1) + 4;
                    case TWO_SIDED -> steps + Tiles.ROWS + 5;
                    case WEIGHTED -> steps + Tiles.ROWS + 6; // a row of A is multiplied by its number
                    case GLOBAL -> steps + Tiles.ROWS + Gemm.BLOCK_ROWS / Tiles.ROWS + 5;
                };
        int weights = 1; // checksums of B are summed in double and rounded once
        int total = 1 + 2 * (scheme == Scheme.GLOBAL ? Gemm.BLOCK_ROWS : Tiles.ROWS);
        int slack = 4; // for what is summed in double
        return new ErrorBound(product + check + weights + total + 2 * fold + slack);
    }

    /**
     * The largest distance without a fault.
     *
     * @param rows R
     * @param squares ‖A‖_F², summed in float32 by lanes
     * @param values number of values of A
     * @param weights ‖t‖_2
     * @param bias Σ|bias| of all R rows
     * @param products number of products in each sum
     */
    double tolerance(int rows, double squares, long values, double weights, double bias, double products) {
        double gamma = gamma();
        return gamma * (norm(gamma, rows, squares, values) * weights + bias) + 2 * products * LEAST_PRODUCT;
    }

    /**
     * Whether a check's sums, of A, of B or of products, may be beyond float32 though the values of C are not. The parameters are
     * those of {@link #tolerance}.
     */
    boolean mayOverflow(int rows, double squares, long values, double weights, double bias) {
        double norm = norm(gamma(), rows, squares, values);
        return Math.max(norm * weights + bias, Math.max(norm, weights)) >= LARGE_SUM;
    }

    private double gamma() {
        return roundings * UNIT / (1 - roundings * UNIT);
    }

    /** √R · ‖A‖_F. */
    private static double norm(double gamma, int rows, double squares, long values) {
        return Math.sqrt(rows * (squares * (1 + gamma) + values * LEAST_SQUARE));
    }
}
