/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class StacksTest {
    @Test
    void areFilledWithTheLastRow() {
        float[] rows = {1, 2, 3, 4, 5, 6};
        assertThat(filled(rows, 3)).containsExactly(rows);
        assertThat(filled(rows, 4)).containsExactly(1, 2, 3, 4, 5, 6, 5, 6);
        assertThat(filled(rows, 5)).containsExactly(1, 2, 3, 4, 5, 6, 5, 6, 5, 6);
    }

    /** A stack of so many rows of two values. */
    private static float[] filled(float[] rows, int fold) {
        FloatBuffer stack = FloatBuffer.allocate(2 * fold);
        Stacks.fill(stack, FloatBuffer.wrap(rows), 2);
        float[] values = new float[stack.remaining()];
        stack.get(values);
        return values;
    }

    @Test
    void areCounted() {
        assertThat(List.of(Stacks.count(1, 4), Stacks.count(4, 4), Stacks.count(5, 4)))
                .containsExactly(1, 1, 2);
    }

    @Test
    void haveTheChannelsOfAllImages() {
        TensorSpec stack = new TensorSpec("input", List.of(12, 22, 52));
        assertThatThrownBy(() -> Stacks.unfolded(new TensorSpec("output", List.of()), 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("stacks of 4 images must have channels for each, got output");
        assertThat(Stacks.unfolded(stack, 4)).isEqualTo(new TensorSpec("input", List.of(3, 22, 52)));
        assertThatThrownBy(() -> Stacks.unfolded(stack, 5))
                .hasMessage("stacks of 5 images must have channels for each, got input (12, 22, 52)");
    }
}
