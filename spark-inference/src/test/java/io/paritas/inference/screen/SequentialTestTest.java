/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SequentialTestTest {
    private static final long SEED = 25;
    private static final double ERROR = 1e-9;

    @Test
    void oneWrongBatchMakesAProcessorSuspectForSomeTenThousandBatches() {
        SequentialTest test = new SequentialTest();
        assertThat(test.addRight(ERROR)).isEqualTo(Suspicion.NONE);
        assertThat(test.addWrong(ERROR)).isEqualTo(Suspicion.SUSPECT);

        int right = 0;
        while (test.addRight(ERROR) == Suspicion.SUSPECT) {
            right++;
        }

        assertThat(right).isBetween(11_000, 12_000);
        assertThat(test.wrong()).isEqualTo(1);
        assertThat(test.audited()).isEqualTo(right + 3L);
    }

    @Test
    void aSecondOneSoonAfterMakesItFaultyForGood() {
        SequentialTest test = new SequentialTest();
        test.addWrong(ERROR);
        for (int i = 0; i < 2_000; i++) {
            test.addRight(ERROR);
        }

        assertThat(test.addWrong(ERROR)).isEqualTo(Suspicion.FAULTY);
        for (int i = 0; i < 100_000; i++) {
            test.addRight(ERROR);
        }
        assertThat(test.suspicion()).isEqualTo(Suspicion.FAULTY);
    }

    /** At the rate of particles that the test allows for, ten times over, ten million batches accuse nobody. */
    @Test
    void soundProcessorsAreNotFaulty() {
        SplittableRandom random = new SplittableRandom(SEED);
        SequentialTest test = new SequentialTest();
        for (int i = 0; i < 10_000_000; i++) {
            add(test, random.nextDouble() < 10 * SequentialTest.HEALTHY);
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
            while (add(test, random.nextDouble() < rate) != Suspicion.FAULTY) {
                assertThat(test.audited()).as("seed %s", SEED).isLessThan(1_000_000);
            }
            batches += test.audited();
        }

        assertThat(batches / 200.0).as("seed %s", SEED).isBetween(least, most);
    }

    @Test
    void batchesThatWereNotAuditedBecauseTheyLookedRightCountAsRight() {
        SequentialTest test = new SequentialTest();
        test.addWrong(ERROR);
        test.addCompared(2_000, ERROR);
        assertThat(test.addWrong(ERROR)).isEqualTo(Suspicion.FAULTY);
        SequentialTest cleared = new SequentialTest();
        cleared.addWrong(ERROR);
        cleared.addCompared(12_000.5, ERROR);
        assertThat(cleared.suspicion()).isEqualTo(Suspicion.NONE);
        assertThat(cleared.addWrong(ERROR)).isEqualTo(Suspicion.SUSPECT);
        assertThat(cleared.audited()).isEqualTo(2);
        assertThat(cleared.compared()).isEqualTo(12_001);
    }

    /** A wrong batch is worth a factor of 10⁵. */
    @ParameterizedTest
    @CsvSource({"1e-4, 1", "1e-9, 2", "1e-12, 3", "1e-16, 4"})
    void rarerErrorsTakeMoreWrongBatches(double error, int batches) {
        SequentialTest test = new SequentialTest();
        for (int batch = 1; batch < batches; batch++) {
            assertThat(test.addWrong(error)).isEqualTo(Suspicion.SUSPECT);
        }

        assertThat(test.addWrong(error)).isEqualTo(Suspicion.FAULTY);
        assertThat(test.evidence()).isCloseTo(5 * batches, within(1e-6));
        assertThat(test.needed()).isCloseTo(-Math.log10(error), within(1e-6));
    }

    /** Otherwise an executor whose test has begun would be accused because the day is new. */
    @Test
    void aTestKeepsTheErrorThatItBeginsWith() {
        SequentialTest test = new SequentialTest();
        test.addWrong(1e-12);

        assertThat(test.addWrong(1e-9)).isEqualTo(Suspicion.SUSPECT);
        assertThat(test.addWrong(1e-9)).isEqualTo(Suspicion.FAULTY);
    }

    private static Suspicion add(SequentialTest test, boolean wrong) {
        return wrong ? test.addWrong(ERROR) : test.addRight(ERROR);
    }
}
