/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;
import io.paritas.inference.DeployedModel;
import java.util.Optional;

/**
 * Inputs with the deployed model's predictions and, if known, true labels. Queries and predictions logged in production are
 * examples without labels. Immutable.
 *
 * @param inputs inputs as the deployed model gets them
 * @param predictions the deployed model's predictions for them (without augmentation)
 * @param labels the true classes, counted from 0, if known; the array must not be changed
 */
@PublicApi
public record Examples(Inputs inputs, Predictions predictions, Optional<int[]> labels) {

    /** Checks that the counts are equal. */
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

    /** Number of examples. */
    public int count() {
        return inputs.count();
    }

    /** The class that counts as right: the true one or, if unknown, the deployed model's. */
    public int expected(int index) {
        return labels.isPresent() ? labels.get()[index] : predictions.label(index);
    }

    /**
     * The true labels.
     *
     * @param purpose what needs them, for the message
     * @throws IllegalArgumentException if they are not known
     */
    public int[] requireLabels(String purpose) {
        return labels.orElseThrow(
                () -> new IllegalArgumentException(purpose + " needs true labels, and these examples have none"));
    }

    /**
     * Checks that predictions are scores of classes.
     *
     * @throws IllegalArgumentException if a prediction is a single value, whose class is always the same
     */
    public void requireClasses() {
        if (predictions.size() < 2) {
            throw new IllegalArgumentException("predictions are judged by their classes, so each needs a"
                    + " score for each of 2 classes or more, got 1 value: of a classifier with a single score export both"
                    + " classes'; a linear regression needs no training, see CodedLinearModel");
        }
    }

    /** @param name of these examples, for messages */
    void requireOf(DeployedModel model, String name) {
        if (!inputs.shape().equals(model.input().shape())) {
            throw new IllegalArgumentException("examples must have inputs of the deployed model, " + model.input()
                    + ", those for " + name + " have the shape " + inputs.shape());
        }
        int outputs = model.output().size();
        if (predictions.size() != outputs) {
            throw new IllegalArgumentException("examples must have predictions of the deployed model, " + outputs
                    + " values each, those for " + name + " have " + predictions.size());
        }
        int[] known = labels.orElse(new int[0]);
        if (known.length > 0) {
            requireClasses();
        }
        for (int row = 0; row < known.length; row++) {
            if (known[row] < 0 || known[row] >= outputs) {
                throw new IllegalArgumentException("a label must be the index of one of the model's " + outputs
                        + " outputs, row " + row + " for " + name + " has " + known[row]
                        + ": number the classes from 0");
            }
        }
    }

    /** Share of the deployed model's predictions that are right. */
    public double accuracy() {
        int right = 0;
        for (int i = 0; i < count(); i++) {
            right += predictions.label(i) == expected(i) ? 1 : 0;
        }
        return right / (double) count();
    }
}
