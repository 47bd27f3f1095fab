/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.MiniBatch;

/**
 * The bottom and the top network. It keeps no parameters between calls; equal arguments give equal bits. Not thread-safe.
 */
interface DenseNetwork extends AutoCloseable {

    /**
     * The result of a forward and a backward pass.
     *
     * @param loss mean cross entropy between the labels and the sigmoids of the logits
     * @param logits logits of the samples
     * @param parameters gradient of the loss by each parameter
     * @param pooled gradient of the loss by each pooled number
     */
    record Result(float loss, float[] logits, float[] parameters, float[] pooled) {}

    /**
     * Returns the loss of a batch and its gradients.
     *
     * @param parameters all parameters, in the order of {@link DlrmShape#parameters}
     * @param pooled sums of rows (samples, tables, dimension)
     */
    Result gradients(MiniBatch batch, float[] parameters, float[] pooled);

    /** Returns the logits alone. Arguments are those of {@link #gradients}. */
    float[] logits(MiniBatch batch, float[] parameters, float[] pooled);

    @Override
    void close();
}
