/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import java.time.Duration;
import java.util.Objects;

/**
 * When to write the whole model, with the states of its optimizers. Updates wait meanwhile. A checkpoint begins when one of the
 * two limits is reached.
 *
 * @param folder folder for the checkpoints of one model, of any Hadoop file system
 * @param every time from the end of a checkpoint to the beginning of the next, at least 1 ms
 * @param everyBatches batches that are committed since the last checkpoint, at least 1
 * @param keep number of checkpoints that are kept, at least 1
 */
@PublicApi
public record CheckpointPolicy(String folder, Duration every, long everyBatches, int keep) {
    private static final int KEEP = 2;
    private static final Duration NEVER = Duration.ofMillis(Long.MAX_VALUE);

    /** @throws IllegalArgumentException if a limit is too small */
    public CheckpointPolicy {
        Objects.requireNonNull(folder, "folder");
        if (every.toMillis() < 1 || everyBatches < 1 || keep < 1) {
            throw new IllegalArgumentException(
                    "checkpoints must be at least 1 ms and 1 batch apart, and at least 1 be kept, got "
                            + every.toMillis() + " ms, " + everyBatches + " batches and " + keep);
        }
    }

    /** Returns a policy by time, which keeps two checkpoints. */
    public static CheckpointPolicy every(String folder, Duration time) {
        return new CheckpointPolicy(folder, time, Long.MAX_VALUE, KEEP);
    }

    /** Returns a policy by batches of all workers, which keeps two checkpoints. */
    public static CheckpointPolicy everyBatches(String folder, long batches) {
        return new CheckpointPolicy(folder, NEVER, batches, KEEP);
    }

    boolean isDue(Duration time, long batches) {
        return time.compareTo(every) >= 0 || batches >= everyBatches;
    }
}
