/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CounterRandomTest {
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
