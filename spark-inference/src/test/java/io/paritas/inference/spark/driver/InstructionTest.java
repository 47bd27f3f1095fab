/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InstructionTest {

    @ParameterizedTest
    @EnumSource(Mode.class)
    void crossesAsNumbers(Mode mode) {
        for (int sources : new int[] {0, 0b101, Integer.MIN_VALUE, -1}) {
            Instruction instruction = new Instruction(mode, Instruction.NO_BLOCKS, sources, 2);
            assertThat(Instruction.of(instruction.toNumbers())).isEqualTo(instruction);
        }
    }
}
