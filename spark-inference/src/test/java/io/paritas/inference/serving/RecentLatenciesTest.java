/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentLatenciesTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_130L);

    /** The last 1,024, all sorted at each 64th, at the first ones whose number is a power of two, and at the hundredth. */
    private static final class Sorted {
        private final long[] last = new long[1_024];
        private long count;
        private long[] sorted = new long[0];

        void add(long nanos) {
            last[(int) (count++ % last.length)] = nanos;
            if (count % 64 == 0 || count == 8 || count == 16 || count == 32 || count == 100) {
                sorted = Arrays.copyOf(last, (int) Math.min(count, last.length));
                Arrays.sort(sorted);
            }
        }

        OptionalLong median() {
            return count < 8 ? OptionalLong.empty() : OptionalLong.of(sorted[sorted.length / 2]);
        }

        OptionalLong percentile(int percentile) {
            return count < 100
                    ? OptionalLong.empty()
                    : OptionalLong.of(sorted[Math.min(sorted.length - 1, sorted.length * percentile / 100)]);
        }
    }

    /** With few different ones, with many, and with the ends of long among them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 5, 1_000, 1L << 40, Long.MAX_VALUE})
    void percentilesAreThoseOfTheLatestSorted(long most) {
        Random random = new Random(SEED);
        RecentLatencies latencies = new RecentLatencies();
        Sorted expected = new Sorted();
        for (int answer = 0; answer < 10_000; answer++) {
            long nanos = random.nextInt(50) == 0 ? most : (random.nextLong() >>> 1) % most;
            latencies.add(nanos);
            expected.add(nanos);

            assertThat(latencies.median()).as("seed %s", SEED).isEqualTo(expected.median());
            for (int percentile = 0; percentile <= 100; percentile += 20) {
                assertThat(latencies.percentile(percentile))
                        .as("seed %s", SEED)
                        .isEqualTo(expected.percentile(percentile));
            }
        }
    }
}
