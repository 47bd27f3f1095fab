/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodePlan.EncoderKind;
import io.paritas.inference.learned.CodePlan.Loss;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenariosTest {
    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "5,1", "5,3", "8,4", "16,3"})
    void areCounted(int k, int r) {
        assertThat(Scenarios.count(k, r)).isEqualTo(Scenarios.of(k, r).size());
    }

    @Test
    void ofACodeAreFewEnoughToLearn() {
        assertThat(plan(16, 4).r()).isEqualTo(4);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan(16, 16))
                .withMessage("a learned code is trained for each set of lost predictions with each set of answers that"
                        + " suffices, at most 10000, k = 16 and r = 16 have 2447958307: choose fewer queries or parity"
                        + " queries");
    }

    private static CodePlan plan(int k, int r) {
        return new CodePlan(k, r, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE);
    }
}
