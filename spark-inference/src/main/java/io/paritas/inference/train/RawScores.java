/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.graph.Graph;

/** A training that takes the softmax of a model's outputs wants raw scores of it: a second softmax would flatten them. */
public final class RawScores {
    private RawScores() {}

    /**
     * Refuses a model that answers probabilities: by its last operator, where the file shows it, and by its answers otherwise.
     *
     * @param purpose what takes the softmax, such as {@code the target LABELS}
     * @throws ModelException if it does
     */
    public static void require(ModelFile model, Predictions answers, String purpose) {
        require(model, purpose);
        if (answers.mayBeProbabilities()) {
            throw new ModelException(purpose + " takes the softmax of the model's outputs, but all of its answers are"
                    + " probabilities already, rows that sum to 1: export raw scores");
        }
    }

    /**
     * Refuses a model that answers probabilities, if its file shows it. One in TorchScript does not.
     *
     * @param purpose what takes the softmax, such as {@code the target LABELS}
     * @throws ModelException if it does
     */
    public static void require(ModelFile model, String purpose) {
        if (model.format() == ModelFormat.ONNX) {
            Graph.of(model).requireRawScores(purpose);
        }
    }
}
