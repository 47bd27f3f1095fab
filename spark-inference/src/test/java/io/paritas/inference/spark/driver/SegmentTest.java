/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Instruction.Mode;
import org.junit.jupiter.api.Test;

class SegmentTest {
    private final Segment segment = new Segment();

    @Test
    void onlyTheFirstAttemptIsTheFirst() {
        assertThat(segment.start(100)).isTrue();
        assertThat(segment.start(200)).isFalse();
        assertThat(segment.age(250)).as("since the first").isEqualTo(150);
    }

    @Test
    void anAttemptThatStartsLaterIsWaitedForAgain() {
        segment.start(0);
        assertThat(segment.satisfied()).isFalse();
        segment.computed();
        assertThat(segment.satisfied()).isTrue();
        segment.start(1);
        assertThat(segment.satisfied()).isFalse();
        segment.failed(1);
        assertThat(segment.satisfied()).isFalse();
        segment.succeeded(2);
        assertThat(segment.satisfied()).isTrue();
    }

    @Test
    void parityOfLostDataIsNothing() {
        segment.parity(1);
        assertThat(segment.level()).isZero();
        segment.computed();
        segment.parity(2);
        segment.parity(1);
        assertThat(segment.level()).isEqualTo(3);
        segment.lost();
        assertThat(segment.level()).isZero();
    }

    @Test
    void attemptsThatComputeAreTakenInOrder() {
        segment.run(12, Mode.COMPUTE);
        segment.run(11, Mode.COMPUTE);
        segment.run(13, Mode.DECODE);
        assertThat(segment.computing()).isTrue();
        assertThat(segment.takeComputing()).containsExactly(11L, 12L);
        assertThat(segment.computing()).isFalse();
        assertThat(segment.takeComputing()).isEmpty();
    }
}
