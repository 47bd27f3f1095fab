/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

/**
 * A number of batches as a row of parameters. A parameter counts exactly to 2^24 only, so that a second one counts what the first one
 * has handed over.
 */
final class BatchCount {
    /** Parameters of the row. */
    static final int DIMENSION = 2;

    private static final int CARRY = 1 << 20;

    private BatchCount() {}

    /** What a row says. */
    static long of(float[] row) {
        return (long) row[1] * CARRY + (long) row[0];
    }

    /** What is added to a row when so many batches were counted and one more is. */
    static float[] oneMoreThan(long batches) {
        return (batches + 1) % CARRY == 0 ? new float[] {1 - CARRY, 1} : new float[] {1, 0};
    }
}
