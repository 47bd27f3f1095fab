/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentLatenciesTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 13);
    private static final int KEPT = 1_024;

    private final RecentLatencies latencies = new RecentLatencies();

    /** After each answer. Many are equal, and so are some of those that go and come. */
    @Test
    void percentilesAreThoseOfTheLastAnswers() {
        Random random = new Random(SEED);
        long[] all = LongStream.generate(() -> random.nextInt(5) == 0 ? 7 : random.nextInt(3_000))
                .limit(4 * KEPT)
                .toArray();
        for (int count = 1; count <= all.length; count++) {
            latencies.add(all[count - 1]);
            long[] sorted = LongStream.of(all)
                    .limit(count)
                    .skip(Math.max(0, count - KEPT))
                    .sorted()
                    .toArray();
            if (count < 8) {
                assertThat(latencies.median()).isEmpty();
            } else {
                assertThat(latencies.median())
                        .as("after %s, seed %s", count, SEED)
                        .hasValue(sorted[sorted.length / 2]);
            }
            if (count < 100) {
                assertThat(latencies.percentile(50)).isEmpty();
            } else {
                assertThat(latencies.percentile(0)).hasValue(sorted[0]);
                assertThat(latencies.percentile(95))
                        .as("after %s, seed %s", count, SEED)
                        .hasValue(sorted[(int) (sorted.length * 0.95)]);
                assertThat(latencies.percentile(100)).hasValue(sorted[sorted.length - 1]);
            }
        }
    }
}
