/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Outcome;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A short {@link Soak}. */
class SoakTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 1);

    @ParameterizedTest
    @ValueSource(doubles = {0, 2})
    void whoeverIsKilledEachQueryGetsTheRightReplyAndNothingIsLeft(double patience) throws InterruptedException {
        try (Soak soak = new Soak(SEED, patience)) {
            soak.run(20_000);
            soak.settle();

            assertThat(soak.wrong()).isEmpty();
            assertThat(soak.outcomes().values().stream()
                            .mapToInt(Integer::intValue)
                            .sum())
                    .isEqualTo(20_000);
            assertThat(soak.outcomes()).containsOnlyKeys(Outcome.PREDICTED, Outcome.RECONSTRUCTED);
            assertThat(soak.left()).isZero();
        }
    }

    @Test
    void aFrontEndThatEndsLeavesNoThread() throws InterruptedException {
        int times = 20;
        for (int i = 0; i < times; i++) {
            try (Soak soak = new Soak(SEED, 2)) {
                soak.run(10);
            }
        }
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (clocks() >= times && System.nanoTime() < end) {
            Thread.sleep(10);
        }

        assertThat(clocks()).isLessThan(times);
    }

    private static long clocks() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("paritas-serving-clock"))
                .count();
    }
}
