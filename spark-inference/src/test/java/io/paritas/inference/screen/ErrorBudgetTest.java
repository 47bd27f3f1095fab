/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorBudgetTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 25);
    private static final long DAY = Duration.ofDays(1).toNanos();

    private final AtomicLong clock = new AtomicLong();

    @ParameterizedTest
    @CsvSource({"0.01, 1e-9", "10, 1e-6", "1e-6, 1e-13"})
    void theFirstFiveMillionTestsOfADayHaveEqualShares(double perDay, double each) {
        ErrorBudget budget = new ErrorBudget(perDay, ErrorBudget.EQUAL_SHARES, clock::get);

        assertThat(budget.spend(1)).isCloseTo(each, within(each * 1e-9));
        assertThat(budget.spend(4_999_999)).isCloseTo(each, within(each * 1e-9));
        assertThat(budget.spend(5_000_000)).isLessThan(each / 5);
        clock.set(DAY - 1);
        assertThat(budget.spend(1)).isLessThan(each / 5);
        clock.set(DAY);
        assertThat(budget.spend(1)).as("the next day").isCloseTo(each, within(each * 1e-9));
    }

    /** One by one, and beyond ten million in steps of a thousandth. */
    @ParameterizedTest
    @ValueSource(doubles = {0.01, 1})
    void allTestsOfADayTogetherHaveTheBudgetAtMost(double perDay) {
        ErrorBudget budget = new ErrorBudget(perDay, ErrorBudget.EQUAL_SHARES, clock::get);
        double spent = 0;
        double tests = 0;
        while (tests < 1e15) {
            double more = tests < 1e7 ? 1 : Math.floor(tests / 1_000);
            spent += more * budget.spend(more);
            tests += more;
        }

        assertThat(spent).isBetween(0.9 * perDay, perDay);
    }

    @Test
    void eachTestOfAStudyHasTheSameProbability() {
        ErrorBudget budget = ErrorBudget.ofEachTest(1e-9);

        assertThat(budget.spend(1)).isCloseTo(1e-9, within(1e-15));
        assertThat(budget.spend(1e15)).isCloseTo(1e-9, within(1e-15));
    }

    /** Sound processors are accused no more often than the budget allows, where the test begins anew after each accusation. */
    @ParameterizedTest
    @CsvSource({
        // wrong batches of sound and faulty processors, budget of a day, tests with equal shares, tests of a day, days
        "0.02, 0.2,  1,   100,    2000,  2000",
        "0.02, 0.2,  1,   100,    200,   2000",
        "0.01, 0.5,  0.1, 1000,   5000,  2000",
        "0.1,  0.15, 2,   100,    1000,  2000"
    })
    void theBudgetIsKept(double healthy, double faulty, double perDay, double equal, int tests, int days) {
        SplittableRandom random = new SplittableRandom(SEED);
        ErrorBudget budget = new ErrorBudget(perDay, equal, clock::get);
        List<SequentialTest> executors = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            executors.add(new SequentialTest(healthy, faulty));
        }
        long accused = 0;
        for (long test = 0; test < (long) tests * days; test++) {
            clock.set(test * (DAY / tests));
            int executor = random.nextInt(executors.size());
            double error = budget.spend(1);
            SequentialTest its = executors.get(executor);
            Suspicion suspicion = random.nextDouble() < healthy ? its.addWrong(error) : its.addRight(error);
            if (suspicion == Suspicion.FAULTY) {
                executors.set(executor, new SequentialTest(healthy, faulty));
                accused++;
            }
        }

        System.out.printf(
                "seed %d: %d of 10 sound processors accused in %d days with a budget of %s a day%n",
                SEED, accused, days, perDay);
        assertThat(accused).as("seed %s", SEED).isLessThanOrEqualTo((long) (perDay * days));
    }

    /**
     * A thousand executors with the rates of the real test, particles at the rate that it allows for, a hundred million or ten billion
     * batches a day: the batches between two particles are counted at once.
     */
    @ParameterizedTest
    @CsvSource({"0.01, 1e8, 10000", "0.01, 1e10, 1000", "10, 1e8, 10000", "10, 1e10, 1000"})
    void particlesAccuseNoMoreThanTheBudgetAllows(double perDay, double tests, int days) {
        SplittableRandom random = new SplittableRandom(SEED);
        ErrorBudget budget = new ErrorBudget(perDay, ErrorBudget.EQUAL_SHARES, clock::get);
        int count = 1_000;
        List<SequentialTest> executors = new ArrayList<>();
        double[] last = new double[count];
        for (int i = 0; i < count; i++) {
            executors.add(new SequentialTest());
        }
        long accused = 0;
        for (double now = 0; now < tests * days; ) {
            double gap = 1 + Math.floor(Math.log(1 - random.nextDouble()) / Math.log1p(-SequentialTest.HEALTHY));
            now += gap;
            clock.set((long) (now / tests * DAY));
            double error = budget.spend(gap);
            int hit = random.nextInt(count);
            executors.get(hit).addCompared((now - last[hit]) / count, error);
            last[hit] = now;
            if (executors.get(hit).addWrong(error) == Suspicion.FAULTY) {
                executors.set(hit, new SequentialTest());
                accused++;
            }
        }

        System.out.printf(
                "seed %d: %d of 1,000 sound processors accused in %d days of %.0e batches with a budget of %s a day%n",
                SEED, accused, days, tests, perDay);
        assertThat(accused).as("seed %s", SEED).isLessThanOrEqualTo((long) (perDay * days));
    }

    /** What the budget costs: wrong batches in a row until a processor is faulty, by batches of the day so far. */
    @ParameterizedTest
    @CsvSource({"1, 2", "5e6, 2", "1e8, 3", "1e10, 3", "1e12, 4"})
    void laterTestsOfADayTakeMoreEvidence(double before, int wrong) {
        ErrorBudget budget = new ErrorBudget(0.01, ErrorBudget.EQUAL_SHARES, clock::get);
        budget.spend(before - 1);
        SequentialTest test = new SequentialTest();
        int batches = 0;
        while (test.suspicion() != Suspicion.FAULTY) {
            test.addWrong(budget.spend(1));
            batches++;
        }

        assertThat(batches).isEqualTo(wrong);
    }
}
