/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;

/**
 * The model whose predictions are protected.
 *
 * @param file its file
 * @param input input of one row
 * @param output output of one row
 */
@PublicApi
public record DeployedModel(ModelFile file, TensorSpec input, TensorSpec output) {

    /** A deployed model with the input and output of its loaded model. */
    public static DeployedModel of(ModelFile file, Model loaded) {
        return new DeployedModel(file, loaded.input(), loaded.output());
    }
}
