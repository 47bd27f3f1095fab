/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.folded.Cascade.Calibration;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CascadeTest {
    /** Margins 4, 3, 2, 2, 1 of class 0 over class 1, so all say class 0. */
    private static final Predictions SMALL = Predictions.of(new float[] {4, 0, 3, 0, 2, 0, 2, 0, 1, 0}, 2);

    private static final Predictions LARGE = Predictions.of(new float[] {1, 0, 1, 0, 0, 1, 1, 0, 0, 1}, 2);
    private static final int[] LABELS = {0, 0, 1, 0, 1};

    private static double sigmoid(double margin) {
        return 1 / (1 + Math.exp(-margin));
    }

    @Test
    void takesAsManyAsTheAccuracyAllows() {
        // The large model is always right, the small one errs on rows 2 and 4; rows 2 and 3 are equally sure.
        assertThat(Cascade.calibrate(SMALL, LARGE, LABELS, 1))
                .isEqualTo(new Calibration(Cascade.confidence(SMALL.row(1)), 0.4, 1, 0.6, 1));
        assertThat(Cascade.calibrate(SMALL, LARGE, LABELS, 0.8).share()).isEqualTo(0.8);
        assertThat(Cascade.calibrate(SMALL, LARGE, LABELS, 0.6).share()).isEqualTo(1);
        assertThat(Cascade.calibrate(SMALL, LARGE, LABELS, 0.8).threshold()).isCloseTo(sigmoid(2), within(1e-12));
    }

    @Test
    void aThresholdIsMeasuredOnOtherExamples() {
        assertThat(Cascade.measure(SMALL, LARGE, new int[] {1, 0, 1, 0, 1}, sigmoid(3.5)))
                .isEqualTo(new Calibration(sigmoid(3.5), 0.2, 0.8, 0.4, 0.8));
    }

    @Test
    void aModelThatIsNotSureOfAnythingFiniteIsNotSure() {
        assertThat(Cascade.confidence(new float[] {0, 0})).isEqualTo(0.5);
        assertThat(Cascade.confidence(new float[] {100, -100, 0})).isEqualTo(1);
        assertThat(Cascade.confidence(new float[] {Float.NaN, 1})).isZero();
        assertThat(Cascade.confidence(new float[] {Float.POSITIVE_INFINITY, 1})).isZero();
    }

    /** The small model's answer to the last row overflowed. */
    @Test
    void anAnswerThatIsNotFiniteDoesNotHideTheThresholdsOfTheOthers() {
        Predictions small = answers(4, 0, 3, 0, 2, 0, 2, 0, Float.POSITIVE_INFINITY, 0);
        assertThat(Cascade.calibrate(small, LARGE, new int[] {0, 0, 0, 0, 0}, 0.8))
                .isEqualTo(new Calibration(Cascade.confidence(small.row(3)), 0.8, 0.8, 1, 0.6));
    }

    private static Predictions answers(float... scores) {
        int rows = scores.length / 2;
        return Predictions.of(
                new Model() {
                    @Override
                    public TensorSpec input() {
                        return new TensorSpec("input", List.of(1));
                    }

                    @Override
                    public TensorSpec output() {
                        return new TensorSpec("output", List.of(2));
                    }

                    @Override
                    public Device device() {
                        return Device.CPU;
                    }

                    @Override
                    public void predict(int count, FloatBuffer inputs, FloatBuffer outputs) {
                        outputs.put(scores);
                    }

                    @Override
                    public void close() {}
                },
                Inputs.of(new float[rows], List.of(1)));
    }

    /** With a threshold of NaN, the small model would never be sure. */
    @ParameterizedTest
    @CsvSource({"0, 0.5", "1, NaN", "1, -1", "1, Infinity"})
    void aFoldAndAThresholdThatCannotBeAreRefused(int fold, double threshold) {
        ModelFile file = ModelFile.of(new byte[9]);
        TensorSpec two = new TensorSpec("x", List.of(2));
        assertThatThrownBy(() -> Cascade.of(
                        file,
                        fold,
                        new DeployedModel(file, two, two),
                        new Calibration(threshold, 0.5, 0.5, 0.5, 0.5),
                        "a test"))
                .isInstanceOf(ModelException.class)
                .hasMessage("a cascade's fold must be at least 1 and its threshold 0 to 1, got " + fold + " and "
                        + threshold + ": calibrate it again; if it was read, its descriptor is damaged");
    }

    @Test
    void whatCannotBeReachedIsRefused() {
        assertThatThrownBy(() -> Cascade.calibrate(SMALL, SMALL, LABELS, 0.7))
                .isInstanceOf(ModelException.class)
                .hasMessage("no threshold makes the cascade as accurate as 0.7 on these examples: 0.6 is the best, the"
                        + " large model alone has 0.6: ask for less");
        assertThatThrownBy(() -> Cascade.calibrate(SMALL, LARGE, new int[3], 0.7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "both models must have answered as many examples as there are labels, at least one; got 5, 5"
                                + " and 3");
    }
}
