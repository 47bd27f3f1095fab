/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;
import io.paritas.inference.DeployedModel;

/**
 * What a training learns from.
 *
 * @param train examples to train on
 * @param validation examples to choose the best epoch by
 * @param description one line on both, for descriptors and checkpoints
 */
@PublicApi
public record TrainingExamples(Examples train, Examples validation, String description) {

    /**
     * Checks that the examples are of a model: its inputs, its predictions, and labels, if they are known, that are its classes.
     *
     * @throws IllegalArgumentException if they are not
     */
    public void requireOf(DeployedModel model) {
        train.requireOf(model, "training");
        validation.requireOf(model, "validation");
    }
}
