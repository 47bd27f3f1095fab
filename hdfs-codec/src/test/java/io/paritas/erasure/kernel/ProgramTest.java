/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ProgramTest {
    @Test
    void isHornersRuleOverTheBitsOfTheCoefficients() {
        Program program = Program.product(new int[][] {{3, 1}, {1, 1}, {0, 4}, {0, 0}});
        assertThat(program).hasToString("""
                t0 = x0
                y0 = t0·x + x0 + x1
                y1 = x0 + x1
                t4 = x1
                y2 = t4·x·x
                y3 = 0""");
        assertThat(program.inputs()).isEqualTo(2);
        assertThat(program.outputs()).isEqualTo(4);
        assertThat(program.xors()).isEqualTo(3);
        assertThat(program.timesX()).isEqualTo(3);
    }

    /** Their bits would be dropped, and other outputs computed. */
    @Test
    void refusesCoefficientsThatAreNoBytes() {
        for (int coefficient : new int[] {-1, 256}) {
            assertThatThrownBy(() -> Program.product(new int[][] {{1, 1}, {1, coefficient}}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a coefficient must be 0 to 255, got " + coefficient);
        }
    }

    @Test
    void interpretsInTheFieldOfBytes() {
        Program program = Program.product(new int[][] {{2, 1}});
        assertThat(program.interpret(0x80, 0)).containsExactly(0x1d);
        assertThat(program.interpret(0x41, 0xff)).containsExactly(0x82 ^ 0xff);
    }
}
