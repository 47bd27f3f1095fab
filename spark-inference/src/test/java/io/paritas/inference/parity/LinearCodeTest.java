/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinearCodeTest {
    private static final double LARGEST = 8;

    @TempDir
    Path folder;

    /** Every set of losses of full groups and of shorter ones, decoded with what the parity models answer. */
    @ParameterizedTest
    @CsvSource({"2, 1, 5", "2, 2, 40", "3, 1, 1", "4, 2, 300", "5, 3, 17", "8, 1, 64"})
    void isWithinTheBoundOfExactArithmetic(int k, int r, int features) {
        Combinations code = new Combinations(k, r);
        Random random = new Random(features);
        double[][] matrix = IntStream.range(0, 3)
                .mapToObj(i -> random.doubles(features, -2, 2).toArray())
                .toArray(double[][]::new);
        double[] bias = random.doubles(3, -100, 100).toArray();
        LinearCode linear = new LinearCode(matrix, bias);
        ParityModels parity = ParityModels.read(linear.parity(code).bundle().write(folder));
        assertThat(parity.exact()).isTrue();
        parity.bundle().requireFor(linear.deployed().file());
        for (int members = 1; members <= k; members++) {
            double[][] rows = IntStream.range(0, members)
                    .mapToObj(i -> random.doubles(features, -LARGEST, LARGEST).toArray())
                    .toArray(double[][]::new);
            List<float[]> queries = List.of(floats(rows));
            float[][] predicted = answers(linear.deployed().file(), queries);
            assertWithin(predicted, rows, matrix, bias, linear.errorBound(code, LARGEST, 0));
            float[][] answers = IntStream.range(0, r)
                    .mapToObj(i ->
                            answers(parity.model(i), List.of(parity.encoder().encode(queries, i)))[0])
                    .toArray(float[][]::new);
            for (int lost = 1; lost < 1 << members; lost++) {
                if (Integer.bitCount(lost) <= r) {
                    float[][] known = predicted.clone();
                    for (int i = 0; i < members; i++) {
                        known[i] = ((lost >> i) & 1) == 1 ? null : predicted[i];
                    }
                    parity.decoder().decode(known, answers);
                    assertWithin(known, rows, matrix, bias, linear.errorBound(code, LARGEST, Integer.bitCount(lost)));
                }
            }
        }
    }

    private static void assertWithin(
            float[][] found, double[][] rows, double[][] matrix, double[] bias, double[] bound) {
        for (int row = 0; row < rows.length; row++) {
            for (int output = 0; output < bias.length; output++) {
                double exact = bias[output];
                for (int i = 0; i < matrix[output].length; i++) {
                    exact += matrix[output][i] * rows[row][i];
                }
                assertThat(Math.abs(found[row][output] - exact))
                        .as("row %s, output %s", row, output)
                        .isLessThanOrEqualTo(bound[output]);
            }
        }
    }

    private static float[][] answers(ModelFile file, List<float[]> queries) {
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            return queries.stream().map(model::predict).toArray(float[][]::new);
        }
    }

    private static float[][] floats(double[][] rows) {
        float[][] result = new float[rows.length][rows[0].length];
        for (int row = 0; row < rows.length; row++) {
            for (int i = 0; i < rows[row].length; i++) {
                result[row][i] = (float) rows[row][i];
            }
        }
        return result;
    }

    /** Four rows, of which one is lost, with an input of 1: 2 · (1 + 4 + 8) · 2^-24 · 4 · (3 + 1), and a little more. */
    @Test
    void theBoundIsTheOneThatIsDocumented() {
        LinearCode linear = new LinearCode(new double[][] {{-3}}, new double[] {1});
        assertThat(linear.errorBound(new Combinations(4, 1), 1, 1)[0] / (26 * 0x1p-24 * 16))
                .isBetween(1.0, 1.00001);
        assertThat(linear.errorBound(new Combinations(4, 1), 1, 0)[0] / (4 * 0x1p-24 * 4))
                .isBetween(1.0, 1.00001);
    }

    /** Nothing is beyond a bound that is no number, so damage would not be found. */
    @Test
    void whereNothingIsKnownTheBoundIsInfinite() {
        LinearCode linear = new LinearCode(new double[][] {{0, 1}}, new double[] {0});
        for (double largest : new double[] {Double.POSITIVE_INFINITY, Double.NaN}) {
            assertThat(linear.errorBound(new Combinations(2, 1), largest, 1)).containsExactly(Double.POSITIVE_INFINITY);
            assertThat(linear.residualBound(new Combinations(2, 1), 0, largest)).isEqualTo(Double.POSITIVE_INFINITY);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> new LinearCode(new double[][] {{1, 2}, {3}}, new double[] {0, 0}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a linear model needs a row of as many weights and a bias for each output, got 2 biases and"
                        + " rows of [2, 1]");
        assertThatThrownBy(() -> new LinearCode(new double[][] {{1e300}}, new double[] {0}))
                .hasMessage("weights and biases must be finite in float32, got 1.0E300");
        LinearCode linear = new LinearCode(new double[][] {{1}}, new double[] {0});
        assertThat(LinearCode.relative((1 << 24) - 1)).isEqualTo((1 << 24) - 1.0);
        assertThat(LinearCode.relative(1 << 24)).as("nothing is known").isEqualTo(Double.POSITIVE_INFINITY);
        assertThatThrownBy(() -> linear.errorBound(new Combinations(2, 1), 1, 2))
                .hasMessage("0 to r = 1 predictions can be lost, got 2");
    }
}
