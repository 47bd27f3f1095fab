/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnitTest {
    private final Unit unit = new Unit();

    @Test
    void onlyTheFirstAttemptIsTheFirst() {
        assertThat(unit.start(100)).isTrue();
        assertThat(unit.start(200)).isFalse();
        assertThat(unit.age(250)).as("since the first").isEqualTo(150);
    }

    @Test
    void anAttemptThatStartsLaterIsWaitedForAgain() {
        unit.start(0);
        assertThat(unit.satisfied()).isFalse();
        unit.computed();
        assertThat(unit.satisfied()).isTrue();
        unit.start(1);
        assertThat(unit.satisfied()).isFalse();
        unit.end(1, false);
        assertThat(unit.satisfied()).isFalse();
        unit.end(2, true);
        assertThat(unit.satisfied()).isTrue();
    }

    @Test
    void parityOfLostDataIsNothing() {
        unit.parity(1);
        assertThat(unit.level()).isZero();
        unit.computed();
        unit.parity(2);
        unit.parity(1);
        assertThat(unit.level()).isEqualTo(3);
        unit.lost();
        assertThat(unit.level()).isZero();
    }

    @Test
    void attemptsThatComputeAreTakenInOrder() {
        unit.run(12, true);
        unit.run(11, true);
        unit.run(13, false);
        assertThat(unit.computing()).isTrue();
        assertThat(unit.takeComputing()).containsExactly(11L, 12L);
        assertThat(unit.computing()).isFalse();
        assertThat(unit.takeComputing()).isEmpty();
    }
}
