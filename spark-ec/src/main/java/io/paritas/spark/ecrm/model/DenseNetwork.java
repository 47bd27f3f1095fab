/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.MiniBatch;

/**
 * The bottom and the top network, on whatever computes them. It keeps no parameters between calls, and equal arguments give
 * equal bits. For one thread at a time.
 */
interface DenseNetwork extends AutoCloseable {

    /**
     * Forward and back.
     *
     * @param loss the mean over the samples of the cross entropy between the label and the sigmoid of the logit
     * @param logits one for each sample
     * @param parameters the gradient of the loss by each parameter
     * @param pooled the gradient of the loss by each pooled number
     */
    record Result(float loss, float[] logits, float[] parameters, float[] pooled) {}

    /**
     * The loss of a batch and its gradients.
     *
     * @param parameters all parameters in their order
     * @param pooled sums of rows (samples, tables, dimension)
     */
    Result gradients(MiniBatch batch, float[] parameters, float[] pooled);

    /** The logits alone, with the arguments of {@link #gradients}. */
    float[] logits(MiniBatch batch, float[] parameters, float[] pooled);

    @Override
    void close();
}
