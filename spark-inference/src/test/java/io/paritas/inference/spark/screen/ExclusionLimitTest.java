/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExclusionLimitTest {
    private static final long DAY = Duration.ofDays(1).toNanos();

    private final AtomicLong clock = new AtomicLong();

    private int ended(ExclusionLimit limit, int executors) {
        int left = executors;
        while (limit.obstacle(left).isEmpty()) {
            limit.count();
            left--;
        }
        return executors - left;
    }

    @Test
    void someOfManyMayBeEndedInADay() {
        ExclusionLimit limit = new ExclusionLimit(4, false, clock::get);

        assertThat(ended(limit, 100)).isEqualTo(4);
        assertThat(limit.obstacle(96)).contains("no more than 4 executors are ended in 24 hours");
        clock.set(DAY - 1);
        assertThat(ended(limit, 96)).isZero();
        clock.set(DAY);
        assertThat(ended(limit, 96)).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "3, 1", "4, 2", "5, 2", "10, 5", "11, 5"})
    void halfOfFewStay(int executors, int ended) {
        ExclusionLimit limit = new ExclusionLimit(100, false, clock::get);

        assertThat(ended(limit, executors)).isEqualTo(ended);
        assertThat(limit.obstacle(executors - ended)).contains("fewer than half of the executors would be left");
        clock.set(2 * DAY);
        assertThat(ended(limit, executors - ended))
                .as("nobody has replaced them")
                .isZero();
    }

    @Test
    void thoseThatWereReplacedCountForADay() {
        ExclusionLimit limit = new ExclusionLimit(100, true, clock::get);
        assertThat(ended(limit, 4)).isEqualTo(2);
        assertThat(ended(limit, 3)).as("one has come").isZero();

        clock.set(DAY);

        assertThat(ended(limit, 4)).isEqualTo(2);
    }
}
