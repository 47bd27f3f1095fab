/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgramTest {
    @Test
    void isHornersRuleOverTheBitsOfTheCoefficients() {
        Program program = Program.product(new int[][] {{3, 1}, {1, 1}, {0, 4}, {0, 0}});
        assertThat(program).hasToString("""
                y0 = (x0)·x + x0 + x1
                y1 = x0 + x1
                y2 = ((x1)·x)·x
                y3 = 0""");
        assertThat(program.inputs()).isEqualTo(2);
        assertThat(program.outputs()).isEqualTo(4);
        assertThat(program.xors()).isEqualTo(3);
        assertThat(program.timesX()).isEqualTo(3);
    }

    @Test
    void interpretsInTheFieldOfBytes() {
        Program program = Program.product(new int[][] {{2, 1}});
        assertThat(program.interpret(0, input -> new int[] {0x80, 0}[input])).isEqualTo(0x1d);
        assertThat(program.interpret(0, input -> new int[] {0x41, 0xff}[input])).isEqualTo(0x82 ^ 0xff);
    }
}
