/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The largest difference between a sum of values of C and its checksum that rounding alone can cause.
 *
 * <p>A sum of products, each of which passes at most d roundings on its way, is within γ(d) · Σ|a||b| of the exact one, with
 * γ(d) = d·u / (1 − d·u), u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). Both sides of a check are
 * such sums of one exact value, so they lie apart by at most γ(d) · Σ_r Σ_k |a_rk| t_k, with t_k = Σ_j |b_kj| and d the
 * roundings of both together; by Cauchy and Schwarz at most Σ_r ‖a_r‖_2 · γ(d) ‖t‖_2. A kernel multiplies the norm of its
 * rows by the bound that this class computes from ‖t‖_2. The bound is never exceeded by rounding, so a clean product is never reported.
 *
 * <p>Matrix units do not round: they cut the exact products of a group, and the sum so far, to 24 bits of the largest of
 * them, and the result too (Fasi, Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ 2021). The
 * groups have 4 products on Volta and more on newer GPUs; 4 means 6 cuts of 2u in each, so 3 roundings for each product.
 * A GPU that cuts otherwise may report clean products.
 *
 * @param roundings d
 * @param absolute further loss for a row of norm 1
 */
record ErrorBound(double roundings, double absolute) {
    private static final double UNIT = 0x1p-24;

    private static final int CUTS = 3;

    /** Roundings to float16, in units of those to float32. */
    private static final double HALF_UNITS = 0x1p13;

    /** The largest error of a float16 below the normal ones, twice. */
    private static final double HALF_LEAST = 0x1p-24;

    /** A product below the normal numbers loses at most this; there is a norm of at least NORM then. */
    private static final double LEAST_PRODUCT = 0x1p-149;

    private static final double LEAST_NORM = 0x1p-63;

    private static final int BLOCK = 64;
    private static final int THREADS = 128;

    /** Threads among which the columns of a row of A are divided. */
    private static final double CHUNKS = 4;

    /** Roundings of the comparison itself and of the norms. */
    private static final int SLACK = 32;

    /**
     * Returns the bound of a scheme.
     *
     * @param k columns of A
     * @param columns of B
     */
    static ErrorBound of(Scheme scheme, Precision precision, int k, int columns) {
        int depth = precision.multiplied(k);
        double steps = depth * (precision == Precision.HALF ? CUTS : 1.0);
        double norms = k + BLOCK + columns / (double) BLOCK;
        double underflow = 2.0 * BLOCK * depth * LEAST_PRODUCT / LEAST_NORM;
        double lost = precision == Precision.HALF && scheme.sumsHalves() ? HALF_LEAST * Math.sqrt(k) : 0;
        double check = precision == Precision.HALF ? half(scheme, steps) : single(scheme, steps);
        if (scheme == Scheme.GLOBAL) {
            double products = precision == Precision.HALF ? depth / CHUNKS + 1 : depth + 1;
            check = products + 3 * BLOCK + columns / (double) (BLOCK * THREADS);
        }
        /* A norm is too small by at most this many roundings; relative to the bound they are of second order. */
        return new ErrorBound((steps + check + SLACK) * (1 + norms * UNIT), lost + underflow);
    }

    private static double half(Scheme scheme, double steps) {
        return switch (scheme) {
            case THREAD_HALF -> steps + 2 * HALF_UNITS;
            case THREAD -> 2 * steps;
            case TWO_SIDED -> 3 * steps;
            case REPLICATION -> 8 * steps;
            default -> 0;
        };
    }

    private static double single(Scheme scheme, double steps) {
        return scheme == Scheme.REPLICATION ? 8 * steps : steps;
    }

    /**
     * Returns the largest difference without a fault for a row of norm 1.
     *
     * @param norm ‖t‖_2
     */
    float of(double norm) {
        double gamma = roundings * UNIT / (1 - roundings * UNIT);
        return Math.nextUp((float) (gamma * norm + absolute));
    }
}
