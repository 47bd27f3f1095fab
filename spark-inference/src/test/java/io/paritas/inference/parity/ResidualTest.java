/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResidualTest {
    private static final int FEATURES = 20;
    private static final float LARGEST = 4;

    @TempDir
    private Path folder;

    private static LinearCode linear(Random random) {
        double[][] matrix = IntStream.range(0, 3)
                .mapToObj(i -> random.doubles(FEATURES, -2, 2).toArray())
                .toArray(double[][]::new);
        return new LinearCode(matrix, random.doubles(3, -5, 5).toArray());
    }

    private static float[] row(Random random) {
        float[] row = new float[FEATURES];
        for (int i = 0; i < row.length; i++) {
            row[i] = LARGEST * (2 * random.nextFloat() - 1);
        }
        return row;
    }

    private static float[][] answers(ModelFile file, List<float[]> queries) {
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            return queries.stream().map(model::predict).toArray(float[][]::new);
        }
    }

    @Test
    void isTheLargestDistanceFromTheCombination() {
        Residual residual = new Residual(new Combinations(3, 2), Target.OUTPUTS);
        float[][] full = {{1, 10}, {2, 20}, {3, 30}};

        assertThat(residual.of(0, full, new float[] {6, 60})).isZero();
        assertThat(residual.of(1, full, new float[] {14, 140.5f})).isEqualTo(0.5);
        assertThat(residual.of(0, new float[][] {{1, 10}, {2, 20}}, new float[] {5, 47}))
                .as("the last one stands for the absent one")
                .isEqualTo(3);
        assertThat(residual.of(0, full, new float[] {6, Float.NaN})).isInfinite();
        assertThat(new Residual(new Combinations(2, 1), Target.LABELS)
                        .of(0, new float[][] {{0, 0}, {0, 1000}}, new float[] {0.5f, 2}))
                .isCloseTo(0.5, within(1e-6));
    }

    /** Groups of every length, of both parities; any change of a prediction that is above twice the bound is seen. */
    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "8, 1"})
    void ofLinearModelsHasAnExactBound(int k, int r) {
        Random random = new Random(k);
        Combinations code = new Combinations(k, r);
        LinearCode linear = linear(random);
        ParityModels parity = ParityModels.read(linear.parity(code).bundle().write(folder));
        ResidualBound bound = parity.residualBound(0.001);
        Residual residual = new Residual(code, Target.OUTPUTS);
        assertThat(bound.needsInputs()).isTrue();
        for (int round = 0; round < 50; round++) {
            List<float[]> queries = IntStream.rangeClosed(0, random.nextInt(k))
                    .mapToObj(i -> row(random))
                    .toList();
            float[][] predicted = answers(linear.deployed().file(), queries);
            for (int j = 0; j < r; j++) {
                float[] answer =
                        answers(parity.model(j), List.of(parity.encoder().encode(queries, j)))[0];
                double allowed = bound.of(j, queries.size(), LARGEST);
                assertThat(residual.of(j, predicted, answer)).isLessThanOrEqualTo(allowed);
                float[][] wrong = predicted.clone();
                wrong[0] = predicted[0].clone();
                wrong[0][1] += (float) (2.1 * allowed);
                assertThat(residual.of(j, wrong, answer)).isGreaterThan(allowed);
            }
        }
    }

    @Test
    void quantilesGiveThresholds() {
        Random random = new Random(1);
        double[] residuals =
                random.doubles(100_000).map(uniform -> -Math.log(1 - uniform)).toArray();

        ResidualDistribution measured = ResidualDistribution.of(residuals);

        assertThat(measured.exceeded()).hasSize(5);
        assertThat(ResidualDistribution.parse(measured.toText())).isEqualTo(measured);
        for (double rate : new double[] {0.5, 0.2, 0.01, 0.0003, 1e-6}) {
            assertThat(measured.threshold(rate)).as("rate %s", rate).isCloseTo(-Math.log(rate), within(0.8));
        }
        double threshold = measured.threshold(0.003);
        assertThat(random.doubles(100_000)
                        .filter(uniform -> -Math.log(1 - uniform) > threshold)
                        .count())
                .isBetween(200L, 400L);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> ResidualDistribution.of(new double[5]))
                .hasMessage("residuals of at least 20 groups are needed, got those of 5: give more examples");
        assertThatThrownBy(() -> new ResidualDistribution(20, List.of(1.0)).threshold(0))
                .hasMessage("the rate of false alarms must be above 0 and at most 0.5, got 0.0");
        assertThatThrownBy(() -> ResidualDistribution.parse("20 much"))
                .hasMessage("residuals must be numbers, got '20 much'");
        assertThatThrownBy(() -> new ResidualDistribution(20, List.of(2.0, 1.0)))
                .hasMessage("residuals of 1 or more groups must be at least 0 and ascend, got [2.0, 1.0] of 20 groups");
    }

    /** The parity model is wrong by up to 1, as a trained one is. */
    @Test
    void calibrationIsKeptInTheDescriptor() {
        Random random = new Random(2);
        Combinations code = new Combinations(2, 1);
        LinearCode linear = linear(random);
        ParityModels exact = linear.parity(code);
        ParityModels approximate = ParityModels.of(exact.bundle().withSettings(Map.of(ParityModels.EXACT, "false")));
        int count = 1000;
        float[] rows = new float[count * FEATURES];
        float[] noisy = new float[count * 3];
        for (int i = 0; i < count; i++) {
            float[] row = row(random);
            System.arraycopy(row, 0, rows, i * FEATURES, FEATURES);
            float[] right = answers(linear.deployed().file(), List.of(row))[0];
            for (int j = 0; j < 3; j++) {
                noisy[3 * i + j] = right[j] + (random.nextFloat() - 0.5f);
            }
        }
        Examples examples =
                new Examples(Inputs.of(rows, List.of(FEATURES)), Predictions.of(noisy, 3), Optional.empty());
        assertThat(approximate.residualBound(0.01).isKnown()).isFalse();

        ParityModels calibrated = ResidualCalibration.calibrate(approximate, examples, ModelOptions.DEFAULT);

        ResidualBound bound =
                ParityModels.read(calibrated.bundle().write(folder)).residualBound(0.01);
        assertThat(bound.needsInputs()).isFalse();
        assertThat(bound.of(0, 2, 0)).isBetween(0.7, 1.0);
        assertThat(bound.of(0, 1, 0)).as("of a group that is not full").isInfinite();
        assertThat(ResidualCalibration.calibrate(exact, examples, ModelOptions.DEFAULT))
                .isSameAs(exact);
    }
}
