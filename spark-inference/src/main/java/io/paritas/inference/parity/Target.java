/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.data.Predictions;

/** What a parity model is trained to answer; the decoder subtracts in the same values. */
@PublicApi
public enum Target {
    /** The combination of the deployed model's outputs, by mean squared error. For any model. */
    OUTPUTS,
    /** The combination of one-hot labels, by mean squared error. Decoded with the deployed model's probabilities. */
    LABELS,
    /** The combination of one-hot labels as a distribution, by cross entropy. For concatenated images (thesis, 8.4.4). */
    DISTRIBUTION;

    /** A deployed model's prediction in the values that this target combines. */
    float[] ofPrediction(float[] prediction) {
        return this == OUTPUTS ? prediction : Predictions.softmax(prediction);
    }

    /** A parity model's answer as a combination of predictions. */
    float[] ofParity(float[] answer, double totalWeight) {
        if (this != DISTRIBUTION) {
            return answer;
        }
        float[] result = Predictions.softmax(answer);
        for (int i = 0; i < result.length; i++) {
            result[i] *= (float) totalWeight;
        }
        return result;
    }
}
