/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger(ErrorBudget.ofEachTest(1e-9));

    @BeforeEach
    void threeExecutorsOnTwoHosts() {
        ledger.join("1", "a");
        ledger.join("2", "a");
        ledger.join("3", "b");
    }

    @Test
    void thoseThatWereNeverWrongCanBeForgotten() {
        ledger.addWrong("2");
        ledger.addRight("3");

        assertThat(ledger.forgetSound(Set.of("1"))).containsExactly("3");
        assertThat(ledger.size()).isEqualTo(2);
        assertThat(ledger.entries()).containsOnlyKeys("1", "2");
        assertThat(ledger.entry("2").host()).isEqualTo("a");
        assertThat(ledger.entry("3").host()).isEqualTo("?");
    }

    private void faulty(String executor) {
        ledger.addWrong(executor);
        ledger.addWrong(executor);
    }

    @Test
    void aHostIsFaultyIfOneOfItsExecutorsIsAndAnotherWasWrong() {
        faulty("1");
        assertThat(ledger.ofFaultyHost("a")).as("one alone").isEmpty();
        assertThat(ledger.isSuspect("2")).isTrue();
        ledger.addRight("2");
        faulty("3");
        assertThat(ledger.ofFaultyHost("a")).as("others elsewhere").isEmpty();
        assertThat(ledger.ofFaultyHost("b")).isEmpty();

        ledger.addWrong("2");

        assertThat(ledger.ofFaultyHost("a")).containsExactly("1", "2");
        assertThat(ledger.ofFaultyHost("b")).isEmpty();
        assertThat(ledger.ofFaultyHost("c")).isEmpty();
    }

    @Test
    void anExecutorThatReplacesAFaultyOneIsEnough() {
        faulty("3");
        ledger.join("4", "b");
        assertThat(ledger.ofFaultyHost("b")).isEmpty();

        ledger.addWrong("4");

        assertThat(ledger.ofFaultyHost("b")).containsExactly("3", "4");
    }

    @Test
    void twoThatWereWrongOnceAreNot() {
        ledger.addWrong("1");
        ledger.addWrong("2");

        assertThat(ledger.ofFaultyHost("a")).isEmpty();
        assertThat(ledger.entry("1").suspicion()).isEqualTo(Suspicion.SUSPECT);
        assertThat(ledger.entry("1").evidence()).isCloseTo(5, within(1e-3));
        assertThat(ledger.entry("1").needed()).isCloseTo(9, within(1e-3));
    }

    @Test
    void comparedBatchesAreSharedOut() {
        ledger.addWrong("1");
        ledger.compared(20_000, Set.of("1", "2"));
        assertThat(ledger.entry("1").suspicion()).isEqualTo(Suspicion.SUSPECT);
        ledger.compared(20_000, Set.of("2", "3"));
        assertThat(ledger.entry("1").suspicion()).isEqualTo(Suspicion.SUSPECT);

        ledger.compared(20_000, Set.of("1", "2"));

        assertThat(ledger.entry("1").suspicion()).isEqualTo(Suspicion.NONE);
        assertThat(ledger.entry("1"))
                .extracting(Ledger.Entry::audited, Ledger.Entry::wrong, Ledger.Entry::compared)
                .containsExactly(1L, 1L, 20_000L);
        assertThat(ledger.entries()).containsOnlyKeys("1", "2", "3").containsEntry("1", ledger.entry("1"));
    }
}
