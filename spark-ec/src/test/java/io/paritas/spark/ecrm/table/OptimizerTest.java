/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two updates of each optimizer, computed by hand. */
class OptimizerTest {
    private static final Offset<Float> ROUNDING = within(1e-6f);

    private static float[] twice(Optimizer optimizer) {
        float[] row = new float[1 + optimizer.state(1)];
        row[0] = 1;
        float[] gradient = {9, 0.5f};
        optimizer.step(row, 1, gradient, 1);
        optimizer.step(row, 1, gradient, 1);
        return row;
    }

    @Test
    void descends() {
        assertThat(twice(new Optimizer.Sgd(0.1f))).containsExactly(new float[] {0.9f}, ROUNDING);
    }

    @Test
    void hasMomentum() {
        assertThat(twice(new Optimizer.Momentum(0.1f, 0.9f)))
                .containsExactly(new float[] {1 - 0.05f - 0.095f, 0.95f}, ROUNDING);
    }

    @Test
    void sumsSquares() {
        assertThat(twice(new Optimizer.Adagrad(0.1f, 0)))
                .containsExactly(new float[] {1 - 0.1f - 0.1f / (float) Math.sqrt(2), 0.5f}, ROUNDING);
    }

    /** With equal gradients, the steps of Adam are as long as its rate. */
    @Test
    void adapts() {
        float[] row = twice(new Optimizer.Adam(0.1f, 0.9f, 0.999f, 0));
        assertThat(row[0]).isCloseTo(0.8f, within(1e-4f));
        assertThat(row[1]).isCloseTo(0.095f, ROUNDING);
        assertThat(row[2]).isCloseTo(0.25f * (1 - 0.999f * 0.999f), ROUNDING);
        assertThat(row[3]).isEqualTo(2);
    }

    /** Bit for bit, with more parameters than a vector has, and some beyond the last vector. */
    @ParameterizedTest
    @ValueSource(strings = {"sgd", "momentum", "adagrad", "adam"})
    void updatesARowAsItUpdatesABlock(String name) {
        Optimizer optimizer = Optimizer.of(name, 0.1f);
        Initializer initial = new Initializer(5, -1, 1);
        int count = 1003;
        float[] parameters = new float[count];
        initial.fill(0, parameters, count);
        float[] state = new float[optimizer.state(count)];
        float[] row = Arrays.copyOf(parameters, count + state.length);
        for (int update = 1; update <= 3; update++) {
            float[] gradients = new float[2 * count];
            initial.fill(update, gradients, 2 * count);
            optimizer.step(row, count, gradients, 7);
            optimizer.step(parameters, state, Arrays.copyOfRange(gradients, 7, 7 + count));
        }
        assertThat(Arrays.copyOf(row, count)).isEqualTo(parameters);
        assertThat(Arrays.copyOfRange(row, count, row.length)).isEqualTo(state);
    }

    @Test
    void initialParametersFollowFromTheRow() {
        Initializer initial = new Initializer(3, -2, 5);
        float[] all = new float[1000];
        initial.fill(8, all, 999);
        float[] again = new float[1000];
        initial.fill(8, again, 999);
        assertThat(again).isEqualTo(all);
        initial.fill(9, again, 999);
        assertThat(again).isNotEqualTo(all);
        assertThat(all[999]).isZero();
        float sum = 0;
        for (int i = 0; i < 999; i++) {
            assertThat(all[i]).isBetween(-2f, 5f);
            sum += all[i];
        }
        assertThat(sum / 999).isCloseTo(1.5f, within(0.3f));
        assertThatThrownBy(() -> new Initializer(1, 2, 1))
                .hasMessage("low must be at most high, got low 2.0 and high 1.0");
    }
}
