/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HedgeDelayTest {
    private static final int MANY = 3_000;
    private static final Duration FIRST = Duration.ofMillis(2);

    private final RecentLatencies latencies = new RecentLatencies();

    private HedgeDelay at(double percentile, double idle) {
        HedgeDelay delay = new HedgeDelay(new Policy.Hedged(percentile, FIRST));
        for (int query = 0; query < MANY; query++) {
            delay.next(latencies, idle);
        }
        return delay;
    }

    @Test
    void theIdlerTheInstancesTheSoonerIsAQueryLate() {
        assertThat(at(0, 1).percentile()).isCloseTo(50, within(0.1));
        assertThat(at(0, 0.5).percentile()).isCloseTo(87.5, within(0.1));
        assertThat(at(0, 0).percentile()).isCloseTo(100, within(0.1));
    }

    @Test
    void aPercentileThatIsGivenStays() {
        assertThat(at(90, 1).percentile()).isEqualTo(90);
        assertThat(at(90, 0).percentile()).isEqualTo(90);
    }

    @Test
    void theDelayIsThatPercentileOfTheLatenciesWhenThereAreEnough() {
        HedgeDelay busy = at(0, 0);
        assertThat(busy.next(latencies, 0)).isEqualTo(FIRST.toNanos());

        for (int nanos = 1; nanos <= 1_024; nanos++) {
            latencies.add(nanos);
        }

        assertThat(busy.next(latencies, 0)).isEqualTo(1_024);
        assertThat(at(0, 1).next(latencies, 1)).isEqualTo(513);
    }
}
