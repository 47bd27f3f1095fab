/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CounterRandomTest {
    /** The first numbers of SplitMix64 that starts with 1234567, as its authors' program prints them. */
    @Test
    void theNumbersAreThoseOfSplitMix64() {
        assertThat(LongStream.range(0, 3).map(i -> CounterRandom.bits(1234567, i)))
                .containsExactly(
                        6457827717110365317L, 3203168211198807973L, Long.parseUnsignedLong("9817491932198370423"));
        SplittableRandom java = new SplittableRandom(99);
        assertThat(LongStream.range(0, 10).map(i -> CounterRandom.bits(99, i)))
                .containsExactly(java.longs(10).boxed().toArray(Long[]::new));
    }

    @Test
    void streamsDiffer() {
        assertThat(CounterRandom.key(1, 2))
                .isNotEqualTo(CounterRandom.key(2, 1))
                .isNotEqualTo(CounterRandom.key(1, 2, 0));
        assertThat(CounterRandom.key(1, 2)).isEqualTo(CounterRandom.key(1, 2));
    }

    @Test
    void normalNumbersAreNormal() {
        double[] values = LongStream.range(0, 100_000)
                .mapToDouble(i -> CounterRandom.normal(8, i))
                .toArray();
        double mean = LongStream.range(0, values.length)
                .mapToDouble(i -> values[(int) i])
                .average()
                .orElseThrow();
        double square = LongStream.range(0, values.length)
                .mapToDouble(i -> values[(int) i] * values[(int) i])
                .average()
                .orElseThrow();
        long beyondTwo = LongStream.range(0, values.length)
                .filter(i -> Math.abs(values[(int) i]) > 2)
                .count();
        assertThat(mean).isCloseTo(0, within(0.01));
        assertThat(square).isCloseTo(1, within(0.02));
        assertThat(beyondTwo / 1e5).isCloseTo(0.0455, within(0.003));
    }

    @Test
    void uniformNumbersFillTheInterval() {
        int[] tenths = new int[10];
        LongStream.range(0, 100_000).forEach(i -> tenths[(int) (10 * CounterRandom.uniform(7, i))]++);
        assertThat(Arrays.stream(tenths)).allSatisfy(count -> assertThat(count).isBetween(9_700, 10_300));
    }
}
