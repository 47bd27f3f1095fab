/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

/**
 * How many batches of a partition are committed, and the task that trains on it, as a row of parameters. A float counts exactly to
 * 2^24 only, so numbers are in several, with a carry so soon that even the sum of such rows, a parity of up to 255, is exact.
 *
 * @param batches committed batches
 * @param claim of the task that trains on the partition
 */
record BatchCount(long batches, Claim claim) {
    /** Number of parameters in the row. */
    static final int DIMENSION = 8;

    private static final int CARRY = 1 << 16;
    /** Index of the first parameter of a claim's numbers, which have three each. */
    private static final int APPLICATION = 2;

    private static final int ATTEMPT = 5;

    /**
     * A task.
     *
     * @param application when its application was started, in milliseconds since 1970; numbers of tasks begin anew in each
     * @param attempt id of the task attempt, greater than those before
     */
    record Claim(long application, long attempt) {
        /** That of no task. */
        static final Claim NONE = new Claim(0, 0);

        /** Whether this is a task that was started after another one, in the same application. */
        boolean isAfter(Claim other) {
            return application == other.application && attempt > other.attempt;
        }
    }

    /** Returns the count of a row. */
    static BatchCount of(float[] row) {
        return new BatchCount(
                (long) row[1] * CARRY + (long) row[0], new Claim(number(row, APPLICATION), number(row, ATTEMPT)));
    }

    private static long number(float[] row, int at) {
        return ((long) row[at + 2] * CARRY + (long) row[at + 1]) * CARRY + (long) row[at];
    }

    /** Returns the row of this count. */
    float[] row() {
        float[] row = new float[DIMENSION];
        row[0] = batches % CARRY;
        row[1] = batches / CARRY;
        number(claim.application, row, APPLICATION);
        number(claim.attempt, row, ATTEMPT);
        return row;
    }

    private static void number(long number, float[] row, int at) {
        row[at] = number % CARRY;
        row[at + 1] = number / CARRY % CARRY;
        row[at + 2] = number / CARRY / CARRY;
    }

    /** Returns the count with one batch more. */
    BatchCount oneMore() {
        return new BatchCount(batches + 1, claim);
    }

    /** Returns the same count for another task. */
    BatchCount claimedBy(Claim other) {
        return new BatchCount(batches, other);
    }

    /** Returns the update that makes another row of this one. */
    float[] updateTo(BatchCount next) {
        float[] row = row();
        float[] update = next.row();
        for (int i = 0; i < DIMENSION; i++) {
            update[i] -= row[i];
        }
        return update;
    }
}
