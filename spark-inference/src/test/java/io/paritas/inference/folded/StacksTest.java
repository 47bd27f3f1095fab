/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.TensorSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class StacksTest {
    /** The definition (thesis, 9.4): channel c of image i of a stack is channel i·C + c; here against plain loops. */
    @Test
    void areBatchesSeenDifferently() {
        int images = 6;
        int channels = 3;
        int pixels = 4;
        int fold = 2;
        float[] batch = new float[images * channels * pixels];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = i;
        }
        assertThat(Stacks.padded(batch, channels * pixels, fold)).isSameAs(batch);
        for (int image = 0; image < images; image++) {
            for (int channel = 0; channel < channels; channel++) {
                for (int pixel = 0; pixel < pixels; pixel++) {
                    int stack = image / fold;
                    int stackChannel = image % fold * channels + channel;
                    float inStack = batch[(stack * fold * channels + stackChannel) * pixels + pixel];
                    assertThat(inStack).isEqualTo(batch[(image * channels + channel) * pixels + pixel]);
                }
            }
        }
        assertThat(Stacks.unpadded(batch, images, channels * pixels)).isSameAs(batch);
    }

    @Test
    void areFilledWithTheLastRow() {
        float[] rows = {1, 2, 3, 4, 5, 6};
        assertThat(Stacks.padded(rows, 2, 4)).containsExactly(1, 2, 3, 4, 5, 6, 5, 6);
        assertThat(Stacks.padded(rows, 2, 5)).containsExactly(1, 2, 3, 4, 5, 6, 5, 6, 5, 6);
        assertThat(Stacks.padded(rows, 2, 1)).isSameAs(rows);
        assertThat(Stacks.unpadded(new float[] {1, 2, 3, 4}, 3, 1)).containsExactly(1, 2, 3);
    }

    @Test
    void areCounted() {
        assertThat(List.of(Stacks.count(1, 4), Stacks.count(4, 4), Stacks.count(5, 4)))
                .containsExactly(1, 1, 2);
    }

    @Test
    void haveTheChannelsOfAllImages() {
        TensorSpec image = new TensorSpec("input", List.of(3, 22, 52));
        TensorSpec stack = new TensorSpec("input", List.of(12, 22, 52));
        assertThat(Stacks.folded(image, 4)).isEqualTo(stack);
        assertThat(Stacks.unfolded(stack, 4)).isEqualTo(image);
        assertThatThrownBy(() -> Stacks.unfolded(stack, 5))
                .hasMessage("stacks of 5 images must have channels for each, got input (12, 22, 52)");
    }
}
