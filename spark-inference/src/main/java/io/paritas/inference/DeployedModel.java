/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/**
 * The model whose predictions are protected: its file, and what goes in and out.
 *
 * @param file the model
 * @param input of one row
 * @param output of one row
 */
public record DeployedModel(ModelFile file, TensorSpec input, TensorSpec output) {

    /** What a loaded model is. */
    public static DeployedModel of(ModelFile file, Model loaded) {
        return new DeployedModel(file, loaded.input(), loaded.output());
    }
}
