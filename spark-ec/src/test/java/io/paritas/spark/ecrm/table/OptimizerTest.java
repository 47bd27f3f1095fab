/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Two updates of each optimizer, computed by hand. */
class OptimizerTest {
    private static final Offset<Float> ROUNDING = within(1e-6f);

    /** The parameter, at first 1, and its state. */
    private static float[] twice(Optimizer optimizer) {
        float[] parameter = {1};
        float[] state = new float[optimizer.state(1)];
        float[] gradient = {0.5f};
        optimizer.step(parameter, state, gradient);
        optimizer.step(parameter, state, gradient);
        float[] all = Arrays.copyOf(parameter, 1 + state.length);
        System.arraycopy(state, 0, all, 1, state.length);
        return all;
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
