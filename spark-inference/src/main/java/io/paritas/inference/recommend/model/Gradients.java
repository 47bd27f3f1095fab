/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

/**
 * The loss of a batch and its gradients. The caller owns the arrays.
 *
 * @param loss mean cross entropy (natural logarithm) between labels and predictions
 * @param logits logits of the samples, before the update; the sigmoid of a logit is the prediction
 * @param network gradient of the loss by each parameter of the networks, in their order
 * @param rows gradient of the loss by each number of each embedding row, in the order of the batch's ids
 */
public record Gradients(float loss, float[] logits, float[] network, float[] rows) {}
