/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PolicyTest {
    @Test
    void isFoundByTheNameOfHdfs() {
        assertThat(Policy.named("rs-10-4-1024k")).isEqualTo(Policy.RS_10_4);
        assertThatThrownBy(() -> Policy.named("RS-1-1"))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("--policy must be one of RS-3-2-1024k, RS-6-3-1024k, RS-10-4-1024k, got RS-1-1");
    }

    @Test
    void hasFewerDataUnitsInAShortGroup() {
        assertThat(Policy.RS_6_3.units(1)).isEqualTo(4);
        assertThat(Policy.RS_6_3.units(2L * Policy.CELL)).isEqualTo(5);
        assertThat(Policy.RS_6_3.units(2L * Policy.CELL + 1)).isEqualTo(6);
        assertThat(Policy.RS_6_3.units(1L << 40)).isEqualTo(9);
    }
}
