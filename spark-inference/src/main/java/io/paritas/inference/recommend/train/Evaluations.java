/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.SampleCheck;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Evaluation;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;

/**
 * When the model is evaluated during training.
 *
 * @param samples samples for it; none if it is never evaluated
 * @param everyEpochs epochs between two evaluations
 * @param patience evaluations without a better one that end the training; 0 if none do
 */
record Evaluations(Optional<Dataset<?>> samples, int everyEpochs, int patience) {
    private static final int PART_OF_HEAP = 4;

    Evaluations {
        if (patience > 0 && samples.isEmpty()) {
            throw new IllegalArgumentException(
                    "to stop early, a training must be evaluated, and has no samples for it: set evaluation");
        }
    }

    /**
     * Reads the samples once and checks that they can be evaluated: not after the first epoch, which would be lost.
     *
     * @throws IllegalArgumentException if one is invalid, if there is no AUC that could stop the training, or if the driver has not
     *     the memory
     */
    void check(DlrmShape shape, SparkConf conf) {
        if (samples.isEmpty()) {
            return;
        }
        SampleCheck found = SampleCheck.of(samples.get(), shape.denseFeatures(), shape.tables());
        if (patience > 0 && (found.clicks() == 0 || found.clicks() == found.samples())) {
            throw new IllegalArgumentException(
                    "to stop early, samples to evaluate with must have clicks and others, got " + found.clicks()
                            + " clicks in " + found.samples() + " samples: evaluate with more of them");
        }
        long result = conf.getSizeAsBytes("spark.driver.maxResultSize", "1g");
        requireRoom(
                found.samples(),
                result == 0 ? Long.MAX_VALUE : result,
                Runtime.getRuntime().maxMemory());
    }

    /**
     * @param result most bytes that tasks may return
     * @param heap of the driver, which merges and sorts what they return
     */
    static void requireRoom(long samples, long result, long heap) {
        long most = Math.min(result, heap / PART_OF_HEAP) / Evaluation.BYTES_OF_SAMPLE;
        if (samples > most) {
            throw new IllegalArgumentException("the driver must hold " + Evaluation.BYTES_OF_SAMPLE
                    + " bytes for each sample to evaluate with, in spark.driver.maxResultSize and in a quarter of its heap:"
                    + " at most " + most + " samples, got " + samples
                    + ": evaluate with fewer, or give the driver more of both");
        }
    }

    /** @param epoch number of the epoch that has ended, from 1 */
    boolean isDue(int epoch, int epochs) {
        return samples.isPresent() && (epoch == epochs || epoch % everyEpochs == 0);
    }
}
