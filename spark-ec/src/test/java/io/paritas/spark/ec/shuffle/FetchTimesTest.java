/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FetchTimesTest {
    private final FetchTimes times = new FetchTimes(Duration.ofNanos(10), 2);

    private void add(int count, long took) {
        for (int fetch = 0; fetch < count; fetch++) {
            times.add("1", took);
        }
    }

    @Test
    void withoutFetchesTheLeastTimeHolds() {
        assertThat(times.nanosUntilLate()).isEqualTo(10);
    }

    @Test
    void whatIsLateFollowsTheMedian() {
        add(2, 50);
        add(3, 70);
        assertThat(times.nanosUntilLate()).isEqualTo(140);
    }

    /** The last 128, however many there were. */
    @Test
    void onlyRecentFetchesCount() {
        add(1_000, 50);
        add(64, 70);
        assertThat(times.nanosUntilLate()).as("half of the last 128").isEqualTo(140);

        add(64, 90);
        add(63, 110);
        assertThat(times.nanosUntilLate()).isEqualTo(180);
        add(1, 110);
        assertThat(times.nanosUntilLate()).isEqualTo(220);
    }

    @Test
    void whoIsInTimeIsNotLateAnyMore() {
        times.late("1");
        times.late("2");

        times.add("1", 9);
        times.add("2", 18);

        assertThat(times.isLate("1")).isFalse();
        assertThat(times.isLate("2")).isTrue();
    }
}
