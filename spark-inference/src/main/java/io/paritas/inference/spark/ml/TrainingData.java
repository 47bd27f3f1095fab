/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.Model;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.Split;
import java.util.Arrays;
import java.util.List;

/**
 * Rows with the deployed model's answers, split at random: one tenth measures the accuracy, one tenth chooses the best
 * epoch, the others are trained on.
 */
record TrainingData(Examples train, Examples validation, Examples test, String description) {

    /**
     * Predicts the rows and splits them.
     *
     * @param group number of rows of a group; each part has at least as many
     * @param about where the rows come from
     * @throws IllegalArgumentException if there are too few rows
     */
    static TrainingData of(CollectedRows rows, Model model, int group, long seed, String about) {
        int count = rows.count();
        int held = Math.max(group, count / 10);
        if (count < 2 * held + group) {
            throw new IllegalArgumentException("training, choosing the best epoch and measuring need " + group
                    + " rows each, together " + 3 * group + "; the dataset has " + count + ": take more");
        }
        int[] order = Split.permutation(count, seed);
        return new TrainingData(
                part(rows, model, Arrays.copyOfRange(order, 2 * held, count)),
                part(rows, model, Arrays.copyOfRange(order, held, 2 * held)),
                part(rows, model, Arrays.copyOfRange(order, 0, held)),
                count + " rows of " + about + " with the CRC-32C " + rows.checksum() + ", " + 2 * held
                        + " of them held back" + (rows.labels().isPresent() ? "" : "; right is what the model said"));
    }

    private static Examples part(CollectedRows rows, Model model, int[] indices) {
        Inputs inputs = new Selected(rows, indices);
        return new Examples(inputs, Predictions.of(model, inputs), rows.labels().map(labels -> Arrays.stream(indices)
                .map(i -> labels[i])
                .toArray()));
    }

    /** Some of the rows, not copied. */
    private static final class Selected implements Inputs {
        private final Inputs all;
        private final int[] indices;

        Selected(Inputs all, int[] indices) {
            this.all = all;
            this.indices = indices;
        }

        @Override
        public int count() {
            return indices.length;
        }

        @Override
        public List<Integer> shape() {
            return all.shape();
        }

        @Override
        public void copy(int index, float[] into, int offset) {
            all.copy(indices[index], into, offset);
        }
    }
}
