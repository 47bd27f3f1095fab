/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import java.util.Objects;

/**
 * When the whole model is written, with the states of its optimizers. Updates wait meanwhile.
 *
 * @param folder of any file system that Hadoop knows, for the checkpoints of one model
 * @param everyMillis from the end of one to the beginning of the next, at least 1
 * @param everyBatches that were committed since; what is reached first counts, at least 1
 * @param keep so many are kept, at least 1
 */
public record CheckpointPolicy(String folder, long everyMillis, long everyBatches, int keep) {
    private static final int KEEP = 2;

    public CheckpointPolicy {
        Objects.requireNonNull(folder, "folder");
        if (everyMillis < 1 || everyBatches < 1 || keep < 1) {
            throw new IllegalArgumentException(
                    "A checkpoint is written at most every millisecond, or every batch, and at least 1 is kept; got "
                            + everyMillis + " ms, " + everyBatches + " batches, and " + keep);
        }
    }

    /** By time; two are kept. */
    public static CheckpointPolicy everyMillis(String folder, long millis) {
        return new CheckpointPolicy(folder, millis, Long.MAX_VALUE, KEEP);
    }

    /** By batches of all workers; two are kept. */
    public static CheckpointPolicy everyBatches(String folder, long batches) {
        return new CheckpointPolicy(folder, Long.MAX_VALUE, batches, KEEP);
    }

    boolean isDue(long millis, long batches) {
        return millis >= everyMillis || batches >= everyBatches;
    }
}
