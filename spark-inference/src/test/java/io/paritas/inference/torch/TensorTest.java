/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.GradMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TensorTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);
    private static final int ROWS = 4;
    private static final int CLASSES = 5;

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    private static float[] gaussian(long seed) {
        Random random = new Random(seed);
        float[] values = new float[ROWS * CLASSES];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static Tensor rows(float[] values) {
        return Tensor.of(Device.CPU, values, ROWS, CLASSES);
    }

    @Test
    void theGradientOfAMeanSquaredErrorIsItsSlope() {
        gradientIsTheSlope(scores -> scores.meanSquaredError(rows(gaussian(SEED + 1))));
    }

    @Test
    void aTargetHasTheShapeOfWhatIsComparedWithIt() {
        try (Scope scope = Scope.open()) {
            Tensor images = Tensor.of(Device.CPU, new float[6], 2, 3, 1);
            Tensor rows = Tensor.of(Device.CPU, new float[6], 2, 3);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> images.meanSquaredError(rows))
                    .withMessage("a target must have the shape of what is compared with it, [2, 3, 1], got [2, 3]");
        }
    }

    @Test
    void theGradientOfACrossEntropyIsItsSlope() {
        gradientIsTheSlope(scores -> scores.crossEntropy(Tensor.ofClasses(Device.CPU, new int[] {4, 0, 2, 2})));
        gradientIsTheSlope(
                scores -> scores.crossEntropy(rows(gaussian(SEED + 2)).softmax(1)));
    }

    @Test
    void theGradientOfABinaryCrossEntropyIsItsSlope() {
        gradientIsTheSlope(
                scores -> scores.binaryCrossEntropy(rows(gaussian(SEED + 2)).sigmoid()));
    }

    @Test
    void theGradientOfSelectedInnerProductsIsItsSlope() {
        gradientIsTheSlope(scores -> scores.matrixProduct(scores.permute(1, 0))
                .reshape(-1)
                .select(0, 4, 8, 9, 4)
                .mean());
    }

    @Test
    void theGradientOfADivergenceIsItsSlope() {
        gradientIsTheSlope(scores -> scores.divergence(rows(gaussian(SEED + 3))));
    }

    private static void gradientIsTheSlope(UnaryOperator<Tensor> loss) {
        float[] values = gaussian(SEED);
        float[] gradient;
        try (Scope scope = Scope.open()) {
            Tensor scores = rows(values).withGradient();
            loss.apply(scores).backward();
            gradient = new float[values.length];
            assertThat(scores.gradient(gradient, 0)).isEqualTo(values.length);
        }
        float step = 1e-2f;
        for (int i = 0; i < values.length; i++) {
            double slope = (at(values, i, step, loss) - at(values, i, -step, loss)) / (2 * step);
            assertThat((double) gradient[i]).as("value %d, seed %d", i, SEED).isCloseTo(slope, within(2e-4));
        }
    }

    private static double at(float[] values, int index, float step, UnaryOperator<Tensor> loss) {
        float[] moved = values.clone();
        moved[index] += step;
        try (Scope scope = Scope.withoutGradients()) {
            return loss.apply(rows(moved)).value();
        }
    }

    @Test
    void lossesHaveTheValuesOfTheirFormulas() {
        try (Scope scope = Scope.withoutGradients()) {
            Tensor scores = Tensor.of(Device.CPU, new float[] {0, 0, (float) Math.log(3), 0}, 2, 2);
            Tensor other = Tensor.of(Device.CPU, new float[] {1, 0, 0, 0}, 2, 2);
            double squares = 1 + Math.log(3) * Math.log(3);
            assertThat((double) scores.meanSquaredError(other).value()).isCloseTo(squares / 4, within(1e-6));
            double entropy = (Math.log(2) - Math.log(0.75)) / 2;
            assertThat((double) scores.crossEntropy(Tensor.ofClasses(Device.CPU, new int[] {1, 0}))
                            .value())
                    .isCloseTo(entropy, within(1e-6));
            Tensor uniform = Tensor.of(Device.CPU, new float[4], 2, 2);
            double divergence = (0.5 * Math.log(0.5 / 0.75) + 0.5 * Math.log(0.5 / 0.25)) / 2;
            assertThat((double) scores.divergence(uniform).value()).isCloseTo(divergence, within(1e-6));
        }
    }

    @Test
    void readsADirectBufferAtItsPositionAndWritesAnother() {
        FloatBuffer in = Model.direct(5)
                .put(0, 7)
                .put(1, 1)
                .put(2, 2)
                .put(3, 3)
                .put(4, 4)
                .position(1);
        FloatBuffer out = Model.direct(6).position(1);
        try (Scope scope = Scope.withoutGradients()) {
            Tensor.over(Place.of(Device.CPU), in, 2, 2).permute(1, 0).values(out);
        }
        assertThat(out.position()).isEqualTo(5);
        assertThat(new float[] {out.get(0), out.get(1), out.get(2), out.get(3), out.get(4), out.get(5)})
                .containsExactly(0, 1, 3, 2, 4, 0);
    }

    @Test
    void shapesCanBeChangedAndPartsTakenAndJoined() {
        try (Scope scope = Scope.withoutGradients()) {
            Tensor tensor = Tensor.of(Device.CPU, new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
            assertThat(tensor.reshape(3, -1).shape()).containsExactly(3, 2);
            assertThat(tensor.permute(1, 0).values()).containsExactly(1, 4, 2, 5, 3, 6);
            assertThat(tensor.slice(1, 1, 2).values()).containsExactly(2, 3, 5, 6);
            assertThat(Tensor.concat(List.of(tensor, tensor.slice(1, 0, 1)), 1).values())
                    .containsExactly(1, 2, 3, 1, 4, 5, 6, 4);
            assertThat(tensor.sum().value()).isEqualTo(21);
            assertThat(tensor.mean().value()).isEqualTo(3.5f);
            assertThat(tensor).hasToString("tensor [2, 3]");
            assertThat(Tensor.ofClasses(Device.CPU, new int[1])).hasToString("tensor [1] of Long");
        }
    }

    @Test
    void refusesWeightsOfAnotherShapeAndValuesOfAnotherType() {
        try (Scope scope = Scope.withoutGradients()) {
            Tensor tensor = Tensor.of(Device.CPU, new float[6], 2, 3);
            assertThatThrownBy(() -> tensor.set(new float[6], 3, 2))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("a weight of shape [2, 3] cannot take one of [3, 2]");
            Tensor classes = Tensor.ofClasses(Device.CPU, new int[2]);
            assertThatThrownBy(classes::values)
                    .isInstanceOf(ModelException.class)
                    .hasMessage("values must be float32, this tensor's are Long");
        }
    }

    @Test
    void aScopeFreesWhatIsNotKept() {
        Tensor kept;
        Tensor freed;
        try (Scope outer = Scope.open()) {
            try (Scope scope = Scope.open()) {
                kept = Scope.keep(Tensor.of(Device.CPU, new float[] {1, 2}, 2).times(2));
                freed = kept.times(3);
            }
            assertThat(freed.raw().isNull()).isTrue();
        }
        assertThat(kept.raw().isNull()).isFalse();
        assertThat(kept.values()).containsExactly(2, 4);
        kept.close();
        assertThat(kept.raw().isNull()).isTrue();
    }

    @Test
    void gradientsAreRememberedAgainAfterAScopeWithout() {
        try (Scope scope = Scope.open()) {
            try (Scope inner = Scope.withoutGradients()) {
                assertThat(GradMode.is_enabled()).isFalse();
            }
            assertThat(GradMode.is_enabled()).isTrue();
        }
    }
}
