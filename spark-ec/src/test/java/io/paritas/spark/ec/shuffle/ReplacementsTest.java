/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplacementsTest {
    private long seconds;
    private final Replacements replacements = new Replacements(
            Duration.ofSeconds(10), () -> Duration.ofSeconds(seconds).toNanos());

    /** All stay. */
    private int expected(Set<String> executors) {
        return replacements.expected(executors, executors);
    }

    @Test
    void aLostExecutorIsReplacedByANewOne() {
        assertThat(expected(Set.of("0", "1", "2"))).isZero();
        assertThat(expected(Set.of("0"))).isEqualTo(2);
        assertThat(expected(Set.of("0"))).as("counted once").isEqualTo(2);

        assertThat(expected(Set.of("0", "3"))).isOne();
        assertThat(expected(Set.of("0", "3", "4"))).isZero();
    }

    @Test
    void whoMustWaitTooLongWaitsNoMore() {
        expected(Set.of("0", "1", "2"));
        expected(Set.of("0", "1"));
        seconds = 4;
        assertThat(expected(Set.of("0"))).isEqualTo(2);

        seconds = 10;
        assertThat(expected(Set.of("0"))).isOne();
        seconds = 14;
        assertThat(expected(Set.of("0"))).isZero();
    }

    @Test
    void executorsThatComeAtTheStartReplaceNobody() {
        expected(Set.of("0"));
        expected(Set.of("0", "1"));
        expected(Set.of("0", "1", "2"));

        assertThat(expected(Set.of("0", "2"))).isOne();
    }

    /** A standalone cluster starts another one as soon as a worker is told to leave. */
    @Test
    void whoIsReplacedBeforeItIsGoneIsNotWaitedFor() {
        expected(Set.of("0", "1"));
        assertThat(replacements.expected(Set.of("0", "1"), Set.of("0"))).isZero();
        assertThat(replacements.expected(Set.of("0", "1", "2"), Set.of("0", "2")))
                .isZero();
        assertThat(expected(Set.of("0", "2"))).isZero();
        assertThat(expected(Set.of("2"))).as("another one, later").isOne();
    }

    @Test
    void whoIsToldToLeaveIsWaitedForOnlyWhenItIsGone() {
        expected(Set.of("0", "1"));
        replacements.expected(Set.of("0", "1"), Set.of("0"));

        assertThat(expected(Set.of("0"))).isOne();
        assertThat(expected(Set.of("0", "2"))).isZero();
    }

    @Test
    void withoutADelayNobodyIsExpected() {
        Replacements none = new Replacements(Duration.ZERO, () -> 0);
        none.expected(Set.of("0", "1"), Set.of("0", "1"));

        assertThat(none.expected(Set.of("0"), Set.of("0"))).isZero();
    }
}
