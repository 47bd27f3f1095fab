/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MagnitudeTest {
    private static final int WIDTH = 84;

    private static float[] rows(int count, float value) {
        float[] rows = new float[count * WIDTH];
        Arrays.fill(rows, value);
        return rows;
    }

    /** A mask has many values of -1e9 in one row. */
    @Test
    void oneRowWithManyLargeValuesIsOneRow() {
        float[] rows = rows(100, 0.5f);
        Arrays.fill(rows, 0, 20, -1e9f);

        assertThat(Magnitude.of(100, rows).usual()).isEqualTo(1);
        Arrays.fill(rows, 0, 12 * WIDTH, -1e9f);
        assertThat(Magnitude.of(100, rows).usual()).as("one row in ten").isGreaterThan(5e8);
    }

    @Test
    void aRowIsAsLargeAsItsLargestValue() {
        float[] rows = rows(10, 1e-4f);
        for (int row = 0; row < 10; row++) {
            rows[row * WIDTH] = -300;
        }

        assertThat(Magnitude.of(10, rows).usual()).isEqualTo(512);
    }

    @Test
    void rowsOfSeveralBatchesCountTogether() {
        Magnitude small = Magnitude.of(95, rows(95, 1));

        assertThat(small.plus(Magnitude.of(5, rows(5, 1000))).usual()).isEqualTo(2);
        assertThat(small.plus(Magnitude.of(20, rows(20, 1000))).usual()).isEqualTo(1024);
    }

    @Test
    void zerosAndWhatIsNotFiniteTellNothing() {
        assertThat(Magnitude.of(2, 0, 0, Float.NaN, Float.NEGATIVE_INFINITY).usual())
                .isZero();
        assertThat(Magnitude.of(2, 0, 0, 3, 4).isKnown()).isFalse();
        assertThat(Magnitude.of(2, rows(2, 3)).isKnown()).isTrue();
    }
}
