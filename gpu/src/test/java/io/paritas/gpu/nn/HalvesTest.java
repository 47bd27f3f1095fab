/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HalvesTest {
    @Test
    void everyHalfComesBack() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = Halves.toFloat((short) bits);
            if (Float.isNaN(value)) {
                assertThat(Halves.toFloat(Halves.of(value))).isNaN();
            } else {
                assertThat(Halves.of(value)).as("bits %x", bits).isEqualTo((short) bits);
            }
        }
    }

    /* Between each two neighbours: a little below the middle, at it and above. */
    @Test
    void roundsToTheNearestAndTiesToEven() {
        for (int bits = 0; bits < 0x7bff; bits++) {
            float low = Halves.toFloat((short) bits);
            float high = Halves.toFloat((short) (bits + 1));
            float middle = (low + high) / 2;
            int even = bits % 2 == 0 ? bits : bits + 1;
            assertThat(Halves.of(Math.nextDown(middle))).isEqualTo((short) bits);
            assertThat(Halves.of(middle)).isEqualTo((short) even);
            assertThat(Halves.of(Math.nextUp(middle))).isEqualTo((short) (bits + 1));
            assertThat(Halves.of(-middle)).isEqualTo((short) (even | 0x8000));
        }
    }

    @Test
    void knowsTheEnds() {
        assertThat(Halves.toFloat((short) 0x3c00)).isEqualTo(1);
        assertThat(Halves.toFloat((short) 1)).isEqualTo(0x1p-24f);
        assertThat(Halves.of(65_519.996f)).isEqualTo((short) 0x7bff);
        assertThat(Halves.of(65_520)).isEqualTo((short) 0x7c00);
        assertThat(Halves.of(Float.NEGATIVE_INFINITY)).isEqualTo((short) 0xfc00);
    }
}
