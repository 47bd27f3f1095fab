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

    @Test
    void aLostExecutorIsReplacedByANewOne() {
        assertThat(replacements.expected(Set.of("0", "1", "2"))).isZero();
        assertThat(replacements.expected(Set.of("0"))).isEqualTo(2);
        assertThat(replacements.expected(Set.of("0"))).as("counted once").isEqualTo(2);

        assertThat(replacements.expected(Set.of("0", "3"))).isOne();
        assertThat(replacements.expected(Set.of("0", "3", "4"))).isZero();
    }

    @Test
    void whoMustWaitTooLongWaitsNoMore() {
        replacements.expected(Set.of("0", "1", "2"));
        replacements.expected(Set.of("0", "1"));
        seconds = 4;
        assertThat(replacements.expected(Set.of("0"))).isEqualTo(2);

        seconds = 10;
        assertThat(replacements.expected(Set.of("0"))).isOne();
        seconds = 14;
        assertThat(replacements.expected(Set.of("0"))).isZero();
    }

    @Test
    void executorsThatComeAtTheStartReplaceNobody() {
        replacements.expected(Set.of("0"));
        replacements.expected(Set.of("0", "1"));
        replacements.expected(Set.of("0", "1", "2"));

        assertThat(replacements.expected(Set.of("0", "2"))).isOne();
    }

    @Test
    void withoutADelayNobodyIsExpected() {
        Replacements none = new Replacements(Duration.ZERO, () -> 0);
        none.expected(Set.of("0", "1"));

        assertThat(none.expected(Set.of("0"))).isZero();
    }
}
