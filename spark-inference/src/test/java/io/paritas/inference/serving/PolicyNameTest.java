/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyNameTest {

    @ParameterizedTest
    @EnumSource(PolicyName.class)
    void isFoundByItsLabel(PolicyName name) {
        assertThat(PolicyName.of(name.label())).isSameAs(name);
        assertThat(PolicyName.of(name.name())).isSameAs(name);
    }

    @Test
    void othersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PolicyName.of("codec"))
                .withMessage("the policy must be one of [coded, none, equal, replicated, hedged, backup, auto],"
                        + " got 'codec'");
    }

    /** With m = 5, k = 2 and r = 1: m / k is rounded up. */
    @ParameterizedTest
    @CsvSource({"CODED,5,8", "NONE,5,5", "EQUAL,8,8", "REPLICATED,8,8", "HEDGED,8,8", "AUTO,8,8", "BACKUP,5,8"})
    void allButNoneTakeAsManyInstances(PolicyName name, int deployed, int slots) {
        assertThat(name.deployed(5, 2)).isEqualTo(deployed);
        assertThat(name.slots(5, 2, 1)).isEqualTo(slots);
    }

    @Test
    void eachParityModelTakesAsManyMore() {
        assertThat(PolicyName.CODED.slots(4, 2, 2)).isEqualTo(8);
    }
}
