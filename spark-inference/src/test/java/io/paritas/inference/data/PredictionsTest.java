/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictionsTest {
    /** Answers the same to all rows. */
    private static final class Constant implements Model {
        private final int inputs;
        private final float[] answer;
        private int most;

        Constant(int inputs, float... answer) {
            this.inputs = inputs;
            this.answer = answer;
        }

        @Override
        public TensorSpec input() {
            return new TensorSpec("input", List.of(inputs));
        }

        @Override
        public TensorSpec output() {
            return new TensorSpec("output", List.of(answer.length));
        }

        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public void predict(int rows, FloatBuffer in, FloatBuffer out) {
            most = Math.max(most, in.capacity());
            in.position(in.position() + rows * inputs);
            for (int row = 0; row < rows; row++) {
                out.put(answer);
            }
        }

        @Override
        public void close() {}
    }

    /** Zeros. */
    private record Zeros(int count, List<Integer> shape) implements Inputs {
        @Override
        public void copy(int index, float[] into, int offset) {
            // they are zero
        }
    }

    /** 2.2 million outputs of 256 inputs are more bytes than a buffer has. */
    @Test
    void aBatchIsBoundedByItsOutputsToo() {
        Inputs small = new Zeros(1000, List.of(4));
        assertThat(Predictions.batch(small, 10, 1)).isEqualTo(256);
        assertThat(Predictions.batch(small, 2_200_000, 1)).isEqualTo(30);
        assertThat(Predictions.batch(small, 2_200_000, 4)).isEqualTo(28);
        assertThat(Predictions.batch(small, 1 << 28, 4)).isEqualTo(4);
        assertThat(Predictions.batch(new Zeros(1000, List.of(1 << 21)), 10, 1)).isEqualTo(32);
    }

    @Test
    void largeRowsArePredictedFewAtATime() {
        Constant model = new Constant(3 << 20, 1, 2);

        Predictions predictions = Predictions.of(model, new Zeros(50, List.of(3, 1024, 1024)));

        assertThat(predictions.count()).isEqualTo(50);
        assertThat(predictions.row(49)).containsExactly(1, 2);
        assertThat(model.most).as("256 MiB at most").isLessThanOrEqualTo(1 << 26);
    }

    @Test
    void whatIsNoNumberIsNoClass() {
        Constant model = new Constant(1, Float.NaN, Float.NaN);

        Predictions predictions = Predictions.of(model, new Zeros(3, List.of(1)));

        assertThat(predictions.label(0)).isEqualTo(-1);
        assertThat(predictions.accuracy(new int[3])).isZero();
        assertThat(Predictions.label(new float[] {1, Float.NaN, 3}, 0, 3)).isEqualTo(-1);
        assertThat(Predictions.label(new float[] {1, Float.POSITIVE_INFINITY, 3}, 0, 3))
                .isEqualTo(1);
        assertThat(Predictions.softmax(new float[] {1, Float.NaN})).containsOnly(Float.NaN);
    }
}
