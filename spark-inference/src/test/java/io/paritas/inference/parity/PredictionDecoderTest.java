/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A linear model answers a parity query with just the combination of its answers: nothing is approximate then. */
class PredictionDecoderTest {
    private static final int INPUTS = 6;
    private static final int OUTPUTS = 4;
    private static final long SEED = 7;

    private final Random random = new Random(SEED);
    private final float[][] matrix = gaussians(OUTPUTS, INPUTS);
    private final float[] bias = gaussians(1, OUTPUTS)[0];

    static Stream<Arguments> codes() {
        return IntStream.rangeClosed(2, 5).boxed().flatMap(k -> IntStream.rangeClosed(1, k)
                .mapToObj(r -> Arguments.of(k, r)));
    }

    @ParameterizedTest
    @MethodSource("codes")
    void linearModelsAreReconstructedExactlyWhateverIsLost(int k, int r) {
        Combinations code = new Combinations(k, r);
        QueryEncoder encoder = new QueryEncoder(code, Encoding.ADDITION, List.of(INPUTS));
        PredictionDecoder decoder = new PredictionDecoder(code, Target.OUTPUTS);
        for (int members = 1; members <= k; members++) {
            List<float[]> queries = List.of(gaussians(members, INPUTS));
            float[][] expected = queries.stream().map(this::predict).toArray(float[][]::new);
            float[][] answers = answers(code, encoder, queries);
            for (int lost = 1; lost < 1 << members; lost++) {
                for (int silent = 0; silent < 1 << r; silent++) {
                    float[][] predictions = without(expected, lost);
                    float[][] received = without(answers, silent);
                    BitSet reconstructed = decoder.decode(predictions, received);
                    if (Integer.bitCount(lost) <= r - Integer.bitCount(silent)) {
                        assertThat(reconstructed.toLongArray()).containsExactly(lost);
                        assertEqual(predictions, expected, lost);
                    } else {
                        assertThat(reconstructed.isEmpty()).isTrue();
                        assertThat(predictions).isEqualTo(without(expected, lost));
                    }
                }
            }
        }
    }

    @Test
    void theUsualCodeSubtracts() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(3, 1), Target.OUTPUTS);
        float[][] predictions = {{1, 2}, null, {10, 20}};
        BitSet reconstructed = decoder.decode(predictions, new float[][] {{100, 200}});
        assertThat(reconstructed).isEqualTo(BitSet.valueOf(new long[] {2}));
        assertThat(predictions[1]).containsExactly(89, 178);
    }

    @Test
    void aGroupOfOneIsTheAnswerOverItsWeight() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(4, 1), Target.OUTPUTS);
        float[][] predictions = {null};
        decoder.decode(predictions, new float[][] {{8, 4}});
        assertThat(predictions[0]).containsExactly(2, 1);
    }

    @Test
    void probabilitiesAreSubtractedWhereLabelsWereLearned() {
        Combinations code = new Combinations(2, 1);
        float[] certain = {0, 30, 0};
        float[][] predictions = {certain, null};
        new PredictionDecoder(code, Target.LABELS).decode(predictions, new float[][] {{1, 1, 0}});
        assertThat(predictions[1]).containsExactly(new float[] {1, 0, 0}, within(1e-5f));
        predictions = new float[][] {certain, null};
        new PredictionDecoder(code, Target.DISTRIBUTION).decode(predictions, new float[][] {{5, 5, -30}});
        assertThat(predictions[1]).containsExactly(new float[] {1, 0, 0}, within(1e-5f));
    }

    @Test
    void whatIsNotANumberIsNoReconstruction() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(2, 1), Target.OUTPUTS);
        float[][] predictions = {{1, 2}, null};
        assertThat(decoder.decode(predictions, new float[][] {{Float.NaN, 4}}).isEmpty())
                .isTrue();
        assertThat(predictions[1]).isNull();
        assertThat(decoder.decode(predictions, new float[][] {{Float.POSITIVE_INFINITY, 4}})
                        .isEmpty())
                .isTrue();
    }

    @Test
    void onlyFiniteReconstructionsOfAGroupAreMade() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(2, 2), Target.OUTPUTS);
        float[][] predictions = new float[2][];
        assertThat(decoder.decode(predictions, new float[][] {{3e38f}, {3.2e38f}}))
                .as("x + y = 3e38 and x + 2y = 3.2e38: both are finite")
                .hasToString("{0, 1}");
        float[][] beyond = new float[2][];
        BitSet reconstructed = decoder.decode(beyond, new float[][] {{3e38f}, {-1e38f}});
        assertThat(reconstructed)
                .as("y = -4e38 is beyond float32, and so is x = 7e38")
                .hasToString("{}");
        assertThat(beyond).isDeepEqualTo(new float[2][]);
        float[][] partly = new float[2][];
        assertThat(decoder.decode(partly, new float[][] {{2e38f}, {-1e38f}}))
                .as("y = -3e38, x = 5e38 is beyond float32")
                .hasToString("{1}");
        assertThat(partly[0]).isNull();
        assertThat(partly[1]).containsExactly(new float[] {-3e38f}, within(1e32f));
    }

    @Test
    void predictionsThatAreNotFiniteLeaveTheOthersMissing() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(2, 1), Target.OUTPUTS);
        float[][] predictions = {{Float.NaN, 1}, null};
        assertThat(decoder.decode(predictions, new float[][] {{1, 2}}).isEmpty())
                .isTrue();
        assertThat(predictions[1]).isNull();
        float[][] infinite = {null, {Float.POSITIVE_INFINITY, 1}};
        assertThat(decoder.decode(infinite, new float[][] {{1, 2}}).isEmpty()).isTrue();
        assertThat(infinite[0]).isNull();
    }

    @Test
    void nothingIsDoneWhereNothingIsMissing() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(2, 1), Target.OUTPUTS);
        float[][] predictions = {{1}, {2}};
        assertThat(decoder.decode(predictions, new float[][] {{9}}).isEmpty()).isTrue();
        assertThat(predictions).isDeepEqualTo(new float[][] {{1}, {2}});
    }

    @Test
    void groupsThatDoNotFitAreRefused() {
        PredictionDecoder decoder = new PredictionDecoder(new Combinations(2, 1), Target.OUTPUTS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoder.decode(new float[3][], new float[1][]))
                .withMessage("a coding group has 1 to k = 2 queries, got 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoder.decode(new float[2][], new float[2][]))
                .withMessage("there must be an answer or null for each of the r = 1 parity models, got 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decoder.decode(new float[][] {{1}, null}, new float[][] {{1, 2}}))
                .withMessage("predictions and answers must have the same number of values, got 1 and 2");
    }

    @Test
    void codesThatAreNoneAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Combinations(1, 1))
                .withMessage("a coding group must have 2 to 16 queries, got k = 1: with one query a parity model is a"
                        + " replica, deploy the model twice instead");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Combinations(17, 1))
                .withMessage("a coding group must have 2 to 16 queries, got k = 17");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Combinations(3, 4))
                .withMessage("a coding group needs 1 to k = 3 parity models, got r = 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.DISTRIBUTION))
                .withMessage("the target DISTRIBUTION needs the encoding CONCATENATION, got ADDITION:"
                        + " use the targets OUTPUTS or LABELS");
    }

    /** F_P for a linear F: the same matrix, and the bias as often as it is in the combination. */
    private float[][] answers(Combinations code, QueryEncoder encoder, List<float[]> queries) {
        List<float[]> answers = new ArrayList<>();
        for (int parity = 0; parity < code.r(); parity++) {
            float[] answer = predict(encoder.encode(queries, parity));
            for (int i = 0; i < OUTPUTS; i++) {
                answer[i] += (float) (code.total(parity) - 1) * bias[i];
            }
            answers.add(answer);
        }
        return answers.toArray(float[][]::new);
    }

    private float[] predict(float[] query) {
        float[] result = bias.clone();
        for (int i = 0; i < OUTPUTS; i++) {
            for (int j = 0; j < INPUTS; j++) {
                result[i] += matrix[i][j] * query[j];
            }
        }
        return result;
    }

    private static float[][] without(float[][] rows, int lost) {
        float[][] left = rows.clone();
        for (int i = 0; i < rows.length; i++) {
            left[i] = (lost >> i & 1) == 1 ? null : rows[i];
        }
        return left;
    }

    /** Float32 sums with weights of up to k^(r - 1) = 625 are solved for here, so some digits go. */
    private static void assertEqual(float[][] found, float[][] expected, int lost) {
        for (int i = 0; i < found.length; i++) {
            assertThat(found[i])
                    .as("member %d of %d, lost %s, seed %d", i, found.length, Integer.toBinaryString(lost), SEED)
                    .containsExactly(expected[i], within(0.02f));
        }
    }

    private float[][] gaussians(int rows, int columns) {
        float[][] values = new float[rows][columns];
        Arrays.stream(values).forEach(row -> {
            for (int i = 0; i < columns; i++) {
                row[i] = (float) random.nextGaussian();
            }
        });
        return values;
    }
}
