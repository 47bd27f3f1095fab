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
        segment.computed(1);
        assertThat(segment.satisfied()).isTrue();
        segment.start(1);
        assertThat(segment.satisfied()).isFalse();
        segment.failed(1);
        assertThat(segment.satisfied()).isFalse();
        segment.succeeded(2);
        assertThat(segment.satisfied()).isTrue();
    }

    @Test
    void whatFailsAfterItHasDeliveredIsWaitedForAgain() {
        segment.start(0);
        segment.run(11, Mode.COMPUTE);
        segment.start(1);
        segment.run(12, Mode.DECODE);
        segment.decoded(12, new Instruction(Mode.FETCH_DECODED, 7, 0b011, 1));
        assertThat(segment.satisfied()).isTrue();
        segment.failed(12);
        assertThat(segment.satisfied()).as("the other one is out").isFalse();
        segment.computed(11);
        segment.computed(13);
        segment.failed(13);
        assertThat(segment.satisfied()).as("the other one has delivered").isTrue();
    }

    @Test
    void whatFailsAfterASuccessIsNotMissed() {
        segment.start(0);
        segment.computed(11);
        segment.succeeded(12);
        segment.failed(11);
        assertThat(segment.satisfied()).isTrue();
    }

    /** The kill of an attempt that has lost against its copy takes a while. */
    @Test
    void whatDeliversAndFailsAfterASuccessIsNotMissed() {
        segment.start(0);
        segment.run(11, Mode.COMPUTE);
        segment.start(1);
        segment.run(12, Mode.COMPUTE);
        segment.computed(12);
        segment.succeeded(12);
        segment.computed(11);
        segment.failed(11);
        assertThat(segment.satisfied()).isTrue();
        segment.start(2);
        segment.run(13, Mode.FETCH_COMPUTED);
        segment.computed(13);
        segment.failed(13);
        assertThat(segment.satisfied()).as("another one is wanted").isFalse();
    }

    @Test
    void parityOfLostDataIsNothing() {
        segment.parity(1);
        assertThat(segment.level()).isZero();
        segment.computed(1);
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

    @Test
    void anAttemptThatHasDeliveredIsNotTakenWhileSomebodyWaitsForAnother() {
        segment.run(11, Mode.COMPUTE);
        segment.run(12, Mode.COMPUTE);
        segment.computed(11);
        segment.start(1);
        assertThat(segment.takeComputing()).containsExactly(12L);
        assertThat(segment.computing()).isFalse();
        segment.succeeded(13);
        assertThat(segment.takeComputing()).containsExactly(11L);
    }
}
