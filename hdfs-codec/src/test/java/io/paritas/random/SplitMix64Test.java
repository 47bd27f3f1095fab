/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SplitMix64Test {
    /** The first numbers of the sequence that starts with 1234567, as the authors' program prints them. */
    @Test
    void theNumbersAreThoseOfTheAuthors() {
        assertThat(LongStream.range(0, 3).map(i -> SplitMix64.at(1234567, i)))
                .containsExactly(
                        6457827717110365317L, 3203168211198807973L, Long.parseUnsignedLong("9817491932198370423"));
    }

    @Test
    void theNumbersAreThoseOfTheJdk() {
        SplittableRandom jdk = new SplittableRandom(99);
        assertThat(LongStream.range(0, 10).map(i -> SplitMix64.at(99, i)))
                .containsExactly(jdk.longs(10).boxed().toArray(Long[]::new));
    }

    @Test
    void aKeyDependsOnEachPartAndOnTheirOrder() {
        assertThat(SplitMix64.key(1, 2))
                .isEqualTo(SplitMix64.key(1, 2))
                .isNotEqualTo(SplitMix64.key(2, 1))
                .isNotEqualTo(SplitMix64.key(1, 2, 0))
                .isNotEqualTo(SplitMix64.key(1, 3));
        assertThat(SplitMix64.key(5)).isEqualTo(SplitMix64.at(5, 0));
        assertThat(SplitMix64.key()).isZero();
    }

    @Test
    void zeroStaysZero() {
        assertThat(SplitMix64.mix(0)).isZero();
    }
}
