/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;

/**
 * What a batch of rows holds at most: it ends with the row that reaches a limit. Whatever the limits are, a batch has a
 * row, so it may hold one row more than {@code bytes}.
 *
 * @param rows number of rows
 * @param bytes bytes of their columns that are kept, and of the model's inputs as they are read
 */
public record BatchLimit(int rows, long bytes) implements Serializable {
    private static final long serialVersionUID = 1;

    /* An array holds no more than twice as much. */
    private static final long MOST_BYTES = 1 << 30;

    /** This limit with whole stacks of rows: the last one is filled, if there are so many rows. */
    public BatchLimit ofStacks(int fold) {
        int stacks = Math.min(Integer.MAX_VALUE / fold, (rows - 1) / fold + 1);
        return new BatchLimit(stacks * fold, bytes);
    }

    /** The limit of several batches together. */
    BatchLimit times(int batches) {
        return new BatchLimit(
                Math.min(Integer.MAX_VALUE / batches, rows) * batches, Math.min(MOST_BYTES / batches, bytes) * batches);
    }

    /** Whether rows reach the limit. */
    boolean isReached(int heldRows, long heldBytes) {
        return heldRows >= rows || heldBytes >= bytes;
    }
}
