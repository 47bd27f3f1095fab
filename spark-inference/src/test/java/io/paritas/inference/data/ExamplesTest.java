/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.TensorSpec;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExamplesTest {
    private static final Inputs FOUR = Inputs.of(new float[] {1, 2, 3, 4}, List.of(1));
    private static final Predictions ANSWERS = Predictions.of(new float[] {9, 1, 1, 9, 9, 1, 1, 9}, 2);
    private static final DeployedModel MODEL = new DeployedModel(
            ModelFile.of(new byte[] {8, 8}), new TensorSpec("x", List.of(1)), new TensorSpec("y", List.of(2)));

    @Test
    void rowsAreFoundByNumber() {
        Inputs inputs = Inputs.of(new float[] {1, 2, 3, 4, 5, 6}, List.of(1, 2));
        assertThat(inputs.count()).isEqualTo(3);
        assertThat(inputs.rows(2, 0)).containsExactly(5, 6, 1, 2);
        assertThat(Inputs.batchShape(3, inputs.shape())).containsExactly(3, 1, 2);
    }

    @Test
    void rowsThatAreNotWholeOrNotNumbersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Inputs.of(new float[5], List.of(2)))
                .withMessage(
                        "rows of shape [2] have 2 values each, got 5 values in all, which is no whole number of rows");
        for (int size : new int[] {0, -2}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Inputs.of(new float[0], List.of(3, size)))
                    .withMessage("every dimension of an input must be at least 1, got [3, " + size + "]");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Inputs.of(new float[] {0, 0, 0, Float.NaN}, List.of(2)))
                .withMessage("every value must be a finite number, row 1 has NaN at position 1: leave that row out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Predictions.of(new float[5], 2))
                .withMessage("predictions must be whole rows of 2 values, got 5 values");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Predictions.of(new float[] {0, Float.POSITIVE_INFINITY}, 2))
                .withMessage("every prediction must be finite, row 0 has Infinity: leave that row out");
    }

    @Test
    void whatDoesNotFitTogetherIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Examples(FOUR, Predictions.of(new float[6], 2), Optional.empty()))
                .withMessage("there must be a prediction for every input, got 4 inputs and 3 predictions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Examples(FOUR, ANSWERS, Optional.of(new int[1])))
                .withMessage("there must be a label for every input, got 4 inputs and 1 labels");
    }

    @Test
    void examplesOfAnotherModelAreRefused() {
        refused(
                new Examples(FOUR, Predictions.of(new float[12], 3), Optional.empty()),
                "examples must have predictions of the deployed model, 2 values each, those for validation have 3");
        refused(
                new Examples(Inputs.of(new float[8], List.of(2)), ANSWERS, Optional.empty()),
                "examples must have inputs of the deployed model, x (1), those for validation have the shape [2]");
        for (int label : new int[] {-100, -1, 2, Integer.MAX_VALUE}) {
            refused(
                    labelled(0, 1, label, 0),
                    "a label must be the index of one of the model's 2 outputs, row 2 for validation has " + label
                            + ": number the classes from 0");
        }
        new TrainingExamples(labelled(0, 1, 1, 0), new Examples(FOUR, ANSWERS, Optional.empty()), "").requireOf(MODEL);
    }

    private static Examples labelled(int... labels) {
        return new Examples(FOUR, ANSWERS, Optional.of(labels));
    }

    private static void refused(Examples validation, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TrainingExamples(labelled(0, 1, 1, 0), validation, "").requireOf(MODEL))
                .withMessage(message);
    }

    @Test
    void withoutLabelsTheModelIsRight() {
        Examples unlabelled = new Examples(FOUR, ANSWERS, Optional.empty());
        assertThat(unlabelled.accuracy()).isEqualTo(1);
        assertThat(new Examples(FOUR, ANSWERS, Optional.of(new int[] {0, 1, 1, 1})).accuracy())
                .isEqualTo(0.75);
    }

    @Test
    void softmaxSumsToOneForLargeLogitsToo() {
        assertThat(Predictions.softmax(new float[] {1000, 1000, -1000}))
                .containsExactly(new float[] {0.5f, 0.5f, 0}, within(1e-6f));
    }
}
