/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FetchTimesTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_130L);

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
    void theMedianIsThatOfASortedList() {
        FetchTimes some = new FetchTimes(Duration.ZERO, 1);
        Deque<Long> recent = new ArrayDeque<>();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int fetch = 0; fetch < 5_000; fetch++) {
            long took = random.nextLong(fetch % 500 < 250 ? 10 : 1_000_000);
            some.add("1", took);
            recent.add(took);
            if (recent.size() > 128) {
                recent.remove();
            }
            List<Long> sorted = recent.stream().sorted().toList();
            assertThat(some.nanosUntilLate())
                    .as("fetch %d, seed %d", fetch, SEED)
                    .isEqualTo(sorted.get(sorted.size() / 2));
        }
    }

    /** All of them come when their executor goes on. */
    @Test
    void aLateFetchCountsForItsLimit() {
        add(128, 50);
        for (int fetch = 0; fetch < 64; fetch++) {
            times.addLate("2", 1_000_000, 100);
        }
        assertThat(times.nanosUntilLate()).isEqualTo(200);
    }

    @Test
    void aLateFetchLeavesItsExecutorLate() {
        add(128, 50);
        times.late("2");
        times.addLate("2", 1_000, 10);
        assertThat(times.isLate("2")).isTrue();

        times.addLate("2", 60, 10);
        assertThat(times.isLate("2")).isFalse();
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
