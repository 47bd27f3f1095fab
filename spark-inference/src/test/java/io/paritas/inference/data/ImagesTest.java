/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ImagesTest {
    @Test
    void halvingWeighsFourNeighbours() {
        float[] row = {0, 8, 16, 40, 80, 160};
        // (3·0 + 3·8 + 16) / 7, (8 + 3·16 + 3·40 + 80) / 8, (40 + 3·80 + 3·160) / 7
        assertThat(Images.resize(row, 1, 1, 6, 1, 3)).containsExactly(40 / 7f, 32, 760 / 7f);
        assertThat(Images.resize(row, 1, 6, 1, 3, 1)).containsExactly(40 / 7f, 32, 760 / 7f);
    }

    @Test
    void doublingInterpolates() {
        // new centres lie at 0.25, 0.75, 1.25, 1.75 of old pixels with centres 0.5 and 1.5
        assertThat(Images.resize(new float[] {0, 4}, 1, 1, 2, 1, 4)).containsExactly(0, 1, 3, 4);
    }

    @Test
    void dimensionsAndChannelsAreIndependent() {
        float[] image = {0, 4, 8, 12, 100, 104, 108, 112};
        assertThat(Images.resize(image, 2, 2, 2, 4, 2))
                .containsExactly(0, 4, 2, 6, 6, 10, 8, 12, 100, 104, 102, 106, 106, 110, 108, 112);
        assertThat(Images.resize(image, 2, 2, 2, 1, 1)).containsExactly(6, 106);
    }

    @Test
    void sameSizeIsTheSameImage() {
        float[] image = {1, 2, 3, 4, 5, 6};
        assertThat(Images.resize(image, 1, 2, 3, 2, 3)).containsExactly(image);
    }

    @Test
    void constantsStayForAnySizes() {
        for (int from = 1; from <= 12; from++) {
            for (int to = 1; to <= 12; to++) {
                float[] flat = new float[from];
                Arrays.fill(flat, 0.3f);
                for (float value : Images.resize(flat, 1, 1, from, 1, to)) {
                    assertThat(value).isCloseTo(0.3f, within(1e-6f));
                }
            }
        }
    }

    @Test
    void nearestTakesThePixelUnderTheCentre() {
        assertThat(Resampling.nearest(5, 2).apply(new float[] {0, 1, 2, 3, 4}, 1))
                .containsExactly(1, 3);
        assertThat(Resampling.nearest(2, 5).apply(new float[] {0, 1}, 1)).containsExactly(0, 0, 1, 1, 1);
    }

    @Test
    void refusesOtherLengths() {
        assertThatThrownBy(() -> Images.resize(new float[5], 1, 2, 3, 1, 1))
                .hasMessage("sizes must be at least 1 and an image have 1x2x3 values, got 5 values for 1x1");
        assertThatThrownBy(() -> Images.resize(new float[6], 1, 2, 3, 0, 1)).hasMessageEndingWith("6 values for 0x1");
    }
}
