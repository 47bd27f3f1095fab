/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Optional;

/**
 * Inputs with what is known about them: the answers of the deployed model, true labels, or both. Queries and predictions
 * logged in production are examples without labels. Immutable.
 *
 * @param inputs as the deployed model gets them
 * @param predictions the deployed model's answers to them (without augmentation)
 * @param labels the true classes, if they are known; not to be changed
 */
public record Examples(Inputs inputs, Predictions predictions, Optional<int[]> labels) {

    /** Checks that there is the same number of each. */
    public Examples {
        if (predictions.count() != inputs.count()) {
            throw new IllegalArgumentException("there must be a prediction for every input, got " + inputs.count()
                    + " inputs and " + predictions.count() + " predictions");
        }
        if (labels.isPresent() && labels.get().length != inputs.count()) {
            throw new IllegalArgumentException("there must be a label for every input, got " + inputs.count()
                    + " inputs and " + labels.get().length + " labels");
        }
    }

    public int count() {
        return inputs.count();
    }

    /** The class that counts as right: the true one, or, where that is not known, the deployed model's. */
    public int expected(int index) {
        return labels.isPresent() ? labels.get()[index] : predictions.label(index);
    }

    /** The true labels. */
    public int[] requireLabels(String purpose) {
        return labels.orElseThrow(
                () -> new IllegalArgumentException(purpose + " needs true labels, and these examples have none"));
    }

    /** Share of inputs that the deployed model answers as expected. */
    public double accuracy() {
        int right = 0;
        for (int i = 0; i < count(); i++) {
            right += predictions.label(i) == expected(i) ? 1 : 0;
        }
        return right / (double) count();
    }
}
