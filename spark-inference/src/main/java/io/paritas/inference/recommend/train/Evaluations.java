/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.util.Optional;
import org.apache.spark.sql.Dataset;

/**
 * When the model is evaluated during training.
 *
 * @param samples samples for it; none if it is never evaluated
 * @param everyEpochs epochs between two evaluations
 * @param patience evaluations without a better one that end the training; 0 if none do
 */
record Evaluations(Optional<Dataset<?>> samples, int everyEpochs, int patience) {
    Evaluations {
        if (patience > 0 && samples.isEmpty()) {
            throw new IllegalArgumentException(
                    "to stop early, a training must be evaluated, and has no samples for it: set evaluation");
        }
    }

    /** @param epoch number of the epoch that has ended, from 1 */
    boolean isDue(int epoch, int epochs) {
        return samples.isPresent() && (epoch == epochs || epoch % everyEpochs == 0);
    }
}
