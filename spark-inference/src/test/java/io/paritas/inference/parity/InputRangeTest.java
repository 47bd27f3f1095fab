/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.data.Inputs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InputRangeTest {

    @Test
    void isThatOfAllValues() {
        assertThat(InputRange.of(Inputs.of(new float[] {1, -3, 2, 0.5f}, List.of(2))))
                .isEqualTo(new InputRange(-3, 2));
    }

    @ParameterizedTest
    @CsvSource({"0,true", "1,true", "-1,true", "2,true", "2.01,false", "-1.01,false", "1e6,false", "NaN,false"})
    void holdsWhatIsBeyondItByItsWidth(float value, boolean held) {
        assertThat(new InputRange(0, 1).holds(new float[] {0.5f, value})).isEqualTo(held);
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void whatIsNotFiniteIsInNone(float value) {
        assertThat(InputRange.FINITE.holds(new float[] {value})).isFalse();
        assertThat(InputRange.FINITE.holds(new float[] {Float.MAX_VALUE, -Float.MAX_VALUE}))
                .isTrue();
    }

    @Test
    void hasTwoFiniteEnds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InputRange(1, 0))
                .withMessage("a range of inputs must have two finite values, the lower first, got 1.0 and 0.0");
    }
}
