/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

/**
 * What a batch teaches. The arrays belong to whoever asked for them.
 *
 * @param loss the mean over the samples of the cross entropy (natural logarithm) between the label and the prediction
 * @param logits one for each sample, before anything was learned from it; the prediction is its sigmoid
 * @param network the gradient of the loss by each parameter of the networks, in their order
 * @param rows the gradient of the loss by each number of each embedding row, in the order of the batch's ids
 */
public record Gradients(float loss, float[] logits, float[] network, float[] rows) {}
