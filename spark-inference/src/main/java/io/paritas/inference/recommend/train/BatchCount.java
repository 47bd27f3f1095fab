/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

/**
 * A number of batches as a row of parameters. A float counts exactly to 2^24 only, so a second one counts the carries of the
 * first; and so soon that even the sum of such rows, a parity of up to 255, is exact.
 */
final class BatchCount {
    /** Number of parameters in the row. */
    static final int DIMENSION = 2;

    private static final int CARRY = 1 << 16;

    private BatchCount() {}

    /** Returns the count of a row. */
    static long of(float[] row) {
        return (long) row[1] * CARRY + (long) row[0];
    }

    /** Returns the row of a count. */
    static float[] row(long batches) {
        return new float[] {batches % CARRY, batches / CARRY};
    }

    /** Returns the update of a row that counts one batch more than these. */
    static float[] oneMoreThan(long batches) {
        return (batches + 1) % CARRY == 0 ? new float[] {1 - CARRY, 1} : new float[] {1, 0};
    }
}
