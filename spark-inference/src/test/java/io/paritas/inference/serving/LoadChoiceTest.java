/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.LoadChoice.Choice;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is done with a query at which load. */
class LoadChoiceTest {
    private static final OptionalLong USUAL = OptionalLong.of(1_000_000);
    private static final int INSTANCES = 4;

    private final LoadChoice choice = new LoadChoice();
    private long now;

    /** Lets queries arrive at the rate that makes this load, and returns the choice for the last. */
    private Choice after(int queries, double load) {
        Choice last = null;
        for (int i = 0; i < queries; i++) {
            now += (long) (USUAL.getAsLong() / INSTANCES / load);
            last = choice.next(now, USUAL, INSTANCES);
        }
        return last;
    }

    @Test
    void theLoadDecides() {
        assertThat(after(1_000, 0.02)).isEqualTo(Choice.REPLICATE);
        assertThat(after(1_000, LoadChoice.LOW * 1.01)).isEqualTo(Choice.HEDGE);
        assertThat(after(1_000, LoadChoice.HIGH * 0.99)).isEqualTo(Choice.HEDGE);
        assertThat(after(1_000, 0.9)).isEqualTo(Choice.NEITHER);
        assertThat(after(1_000, 0.02)).isEqualTo(Choice.REPLICATE);
    }

    @Test
    void aBurstAfterSilenceIsSeenSoon() {
        after(1_000, 0.9);
        now += 3_600_000_000_000L;

        assertThat(after(1, 0.9)).isEqualTo(Choice.REPLICATE);
        assertThat(after(256, 0.9)).isEqualTo(Choice.NEITHER);
    }

    @Test
    void toBeginWithQueriesAreHedged() {
        assertThat(after(256, 0.9)).isEqualTo(Choice.HEDGE);
        for (int i = 0; i < 1_000; i++) {
            assertThat(choice.next(now++, OptionalLong.empty(), INSTANCES)).isEqualTo(Choice.HEDGE);
            assertThat(choice.next(now++, USUAL, 0)).isEqualTo(Choice.HEDGE);
        }
    }
}
