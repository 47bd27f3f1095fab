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

    /** The limit of several batches together. */
    BatchLimit times(int batches) {
        return new BatchLimit(Math.multiplyExact(batches, rows), Math.min(MOST_BYTES / batches, bytes) * batches);
    }

    /** Whether rows reach the limit. */
    boolean isReached(int heldRows, long heldBytes) {
        return heldRows >= rows || heldBytes >= bytes;
    }
}
