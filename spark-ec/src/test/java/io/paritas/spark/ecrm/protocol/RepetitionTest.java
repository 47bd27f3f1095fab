/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RepetitionTest {
    private static final Timing TIMING = new Timing(200, 10_000, 5);

    @Test
    void waitsLongerForMoreBytes() {
        assertThat(Repetition.first(TIMING, 0)).isEqualTo(200);
        assertThat(Repetition.first(TIMING, 8 << 20)).isEqualTo(400);
        assertThat(Repetition.first(TIMING, 1L << 40)).isEqualTo(3200);
    }

    @Test
    void waitsLongerEachTime() {
        assertThat(Repetition.next(TIMING, 200)).isEqualTo(400);
        assertThat(Repetition.next(TIMING, 3200)).isEqualTo(3200);
    }

    @Test
    void waitsSomeTimesWithinALease() {
        assertThat(Repetition.inLease(TIMING, 400)).isEqualTo(400);
        assertThat(Repetition.inLease(TIMING, 3200)).isEqualTo(2500);
        assertThat(Repetition.inLease(new Timing(200, 200, 5), 3200)).isEqualTo(200);
    }
}
