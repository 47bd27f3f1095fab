/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SequentialTestTest {
    private static final long SEED = 25;

    @Test
    void oneWrongBatchMakesAProcessorSuspectForSomeTenThousandBatches() {
        SequentialTest test = new SequentialTest();
        assertThat(test.add(false)).isEqualTo(Suspicion.NONE);
        assertThat(test.add(true)).isEqualTo(Suspicion.SUSPECT);

        int right = 0;
        while (test.add(false) == Suspicion.SUSPECT) {
            right++;
        }

        assertThat(right).isBetween(11_000, 12_000);
        assertThat(test.wrong()).isEqualTo(1);
        assertThat(test.audited()).isEqualTo(right + 3L);
    }

    @Test
    void aSecondOneSoonAfterMakesItFaultyForGood() {
        SequentialTest test = new SequentialTest();
        test.add(true);
        for (int i = 0; i < 2_000; i++) {
            test.add(false);
        }

        assertThat(test.add(true)).isEqualTo(Suspicion.FAULTY);
        for (int i = 0; i < 100_000; i++) {
            test.add(false);
        }
        assertThat(test.suspicion()).isEqualTo(Suspicion.FAULTY);
    }

    /** At the rate of particles that the test allows for, ten times over, ten million batches accuse nobody. */
    @Test
    void soundProcessorsAreNotFaulty() {
        SplittableRandom random = new SplittableRandom(SEED);
        SequentialTest test = new SequentialTest();
        for (int i = 0; i < 10_000_000; i++) {
            test.add(random.nextDouble() < 10 * SequentialTest.HEALTHY);
        }

        assertThat(test.suspicion()).as("seed %s", SEED).isNotEqualTo(Suspicion.FAULTY);
    }

    /** Batches to the decision, on average of 200 processors: at a rate of 1 in 1,000, what Wald's theory says. */
    @ParameterizedTest
    @CsvSource({"1, 2, 2", "0.1, 18, 22", "0.01, 180, 240", "0.001, 1500, 3500"})
    void faultyProcessorsAreFound(double rate, double least, double most) {
        SplittableRandom random = new SplittableRandom(SEED);
        long batches = 0;
        for (int processor = 0; processor < 200; processor++) {
            SequentialTest test = new SequentialTest();
            while (test.add(random.nextDouble() < rate) != Suspicion.FAULTY) {
                assertThat(test.audited()).as("seed %s", SEED).isLessThan(1_000_000);
            }
            batches += test.audited();
        }

        assertThat(batches / 200.0).as("seed %s", SEED).isBetween(least, most);
    }

    @Test
    void batchesThatWereNotAuditedBecauseTheyLookedRightCountAsRight() {
        SequentialTest test = new SequentialTest();
        test.add(true);
        test.addRight(2_000);
        assertThat(test.add(true)).isEqualTo(Suspicion.FAULTY);
        SequentialTest cleared = new SequentialTest();
        cleared.add(true);
        cleared.addRight(12_000.5);
        assertThat(cleared.suspicion()).isEqualTo(Suspicion.NONE);
        assertThat(cleared.add(true)).isEqualTo(Suspicion.SUSPECT);
        assertThat(cleared.audited()).isEqualTo(2);
    }
}
