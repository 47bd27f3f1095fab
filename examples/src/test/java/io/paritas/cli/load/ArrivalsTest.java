/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final int COUNT = 100_000;
    private static final double RATE = 250;

    @Test
    void gapsAreExponentialWithTheMeanOfTheRate() {
        for (long seed = 1; seed <= 5; seed++) {
            double[] gaps = gaps(Arrivals.times(RATE, COUNT, seed));
            double mean = Arrays.stream(gaps).average().orElseThrow();
            double deviation = Math.sqrt(Arrays.stream(gaps)
                    .map(gap -> (gap - mean) * (gap - mean))
                    .average()
                    .orElseThrow());
            double long3 = Arrays.stream(gaps).filter(gap -> gap > 3 / RATE).count() / (double) COUNT;
            assertThat(mean).as("mean, seed " + seed).isCloseTo(1 / RATE, within(0.02 / RATE));
            assertThat(deviation).as("deviation, seed " + seed).isCloseTo(1 / RATE, within(0.03 / RATE));
            assertThat(long3).as("gaps above 3 means, seed " + seed).isCloseTo(Math.exp(-3), within(0.004));
        }
    }

    @Test
    void aSeedGivesTheSameArrivalsAtEveryRate() {
        long[] times = Arrivals.times(RATE, 1_000, 7);
        assertThat(Arrivals.times(RATE, 1_000, 7)).isEqualTo(times).isSorted();
        assertThat(Arrivals.times(RATE, 1_000, 8)).isNotEqualTo(times);
        assertThat(Arrivals.times(RATE, 10, 7)).isEqualTo(Arrays.copyOf(times, 10));
        long[] twiceAsFast = Arrivals.times(2 * RATE, 1_000, 7);
        for (int i = 0; i < times.length; i++) {
            assertThat((double) twiceAsFast[i]).isCloseTo(times[i] / 2.0, within(2.0));
        }
    }

    private static double[] gaps(long[] times) {
        double[] gaps = new double[times.length];
        for (int i = 0; i < times.length; i++) {
            gaps[i] = (times[i] - (i == 0 ? 0 : times[i - 1])) / 1e9;
        }
        return gaps;
    }
}
