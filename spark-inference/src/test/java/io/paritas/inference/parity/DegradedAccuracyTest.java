/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DegradedAccuracyTest {
    private static final Predictions PREDICTIONS = Predictions.of(new float[] {9, 1, 1, 9, 9, 1, 1, 9}, 2);
    private static final Examples FOUR = new Examples(
            Inputs.of(new float[] {1, 2, 3, 4}, List.of(1)), PREDICTIONS, Optional.of(new int[] {0, 1, 1, 1}));

    /** Knows the members of a pair, as if they were the answers to its parity queries. */
    private static float[][] members(int group) {
        return new float[][] {PREDICTIONS.row(2 * group), PREDICTIONS.row(2 * group + 1)};
    }

    /** Reconstructs what the answers say. */
    private static BitSet copy(float[][] predictions, float[][] answers) {
        BitSet reconstructed = new BitSet();
        for (int i = 0; i < predictions.length; i++) {
            if (predictions[i] == null) {
                predictions[i] = answers[i];
                reconstructed.set(i);
            }
        }
        return reconstructed;
    }

    @Test
    void everyLossIsCounted() {
        DegradedAccuracy perfect =
                DegradedAccuracy.measure(2, 2, FOUR, DegradedAccuracyTest::copy, DegradedAccuracyTest::members);
        assertThat(perfect).isEqualTo(new DegradedAccuracy(2, 0.75, List.of(0.75, 0.75), List.of(1.0, 1.0), 0.75));
        assertThat(perfect.toMap())
                .containsOnlyKeys(
                        "available",
                        "degraded.1-lost",
                        "agreement.1-lost",
                        "degraded.2-lost",
                        "agreement.2-lost",
                        "overall.10%-lost",
                        "default-answer");
    }

    /** One that reconstructs no better is worth nothing, however good it looks. */
    @Test
    void theDefaultAnswerIsTheClassThatIsRightMostOften() {
        float[] scores = {9, 1, 0, 9, 1, 0, 9, 1, 0, 1, 9, 0, 1, 9, 0};
        Inputs inputs = Inputs.of(new float[] {1, 2, 3, 4, 5}, List.of(1));
        Examples logged = new Examples(inputs, Predictions.of(scores, 3), Optional.empty());

        DegradedAccuracy measured =
                DegradedAccuracy.measure(2, 1, logged, (predictions, answers) -> new BitSet(), group -> new float[1][]);

        assertThat(measured.defaultAnswer()).as("of two full groups").isEqualTo(0.75);
        assertThat(measured.toMap()).containsEntry("default-answer", 0.75);
    }

    @Test
    void aSingleValueHasNoClass() {
        Examples values = new Examples(
                Inputs.of(new float[] {1, 2}, List.of(1)), Predictions.of(new float[] {3, 4}, 1), Optional.empty());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DegradedAccuracy.measure(
                        2, 1, values, DegradedAccuracyTest::copy, DegradedAccuracyTest::members))
                .withMessage("predictions are judged by their classes, so each needs a score for each of 2"
                        + " classes or more, got 1 value: of a classifier with a single score export both classes'; a linear"
                        + " regression needs no training, see CodedLinearModel");
    }

    @Test
    void whatCannotBeReconstructedIsWrong() {
        DegradedAccuracy never =
                DegradedAccuracy.measure(4, 1, FOUR, (predictions, answers) -> new BitSet(), group -> new float[1][]);
        assertThat(never.degraded()).containsExactly(0.0);
        assertThat(never.overall(0.1)).isEqualTo(0.9 * 0.75);
    }

    @Test
    void manyLossesAreReconstructedTogether() {
        int pairs = 300;
        Inputs inputs = Inputs.of(new float[2 * pairs], List.of(1));
        Predictions predictions = Predictions.of(new float[4 * pairs], 2);
        List<Integer> together = new ArrayList<>();
        GroupDecoder counting = new GroupDecoder() {
            @Override
            public BitSet decode(float[][] received, float[][] answers) {
                return copy(received, answers);
            }

            @Override
            public List<BitSet> decode(List<Received> groups) {
                together.add(groups.size());
                return GroupDecoder.super.decode(groups);
            }
        };
        Examples examples = new Examples(inputs, predictions, Optional.empty());
        DegradedAccuracy measured =
                DegradedAccuracy.measure(2, 1, examples, counting, group -> new float[][] {new float[2], new float[2]});
        assertThat(measured.degraded()).containsExactly(1.0);
        assertThat(together).containsExactly(256, 256, 88);
    }

    @Test
    void lessThanAGroupIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DegradedAccuracy.measure(5, 1, FOUR, DegradedAccuracyTest::copy, DegradedAccuracyTest::members))
                .withMessage("examples must be at least one group of k = 5, got 4");
    }
}
