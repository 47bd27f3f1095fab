/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How likely each test may accuse a sound processor, so that all tests of a day together do so no more often than a budget allows, on
 * average, however many they are. Guarded by the {@link Ledger}.
 */
public final class ErrorBudget {
    /*
     * The first N tests of a day get half of the budget, in equal shares. Test i > N gets budget / (2 i (1 + ln(i/N))²): the integral of
     * 1 / (i (1 + ln(i/N))²) from N to infinity is 1, so all of them together get the other half at most.
     */

    /** The tests of a day with equal shares, N. */
    static final double EQUAL_SHARES = 5e6;

    private static final long DAY = Duration.ofDays(1).toNanos();

    private final double perDay;
    private final double equalShares;
    private final LongSupplier nanoClock;
    private final long start;
    private long day;
    private double tests;

    ErrorBudget(double perDay, double equalShares, LongSupplier nanoClock) {
        this.perDay = perDay;
        this.equalShares = equalShares;
        this.nanoClock = nanoClock;
        this.start = nanoClock.getAsLong();
    }

    /**
     * A budget; days begin at the hour at which this is called.
     *
     * @param perDay sound processors that may be accused in a day, on average
     */
    public static ErrorBudget perDay(double perDay) {
        return new ErrorBudget(perDay, EQUAL_SHARES, System::nanoTime);
    }

    /** A budget without days, for studies: each test has that probability. */
    public static ErrorBudget ofEachTest(double probability) {
        double unreached = 1e18;
        return new ErrorBudget(2 * probability * unreached, unreached, () -> 0);
    }

    /**
     * Counts tests, and returns the probability with which each of them may accuse a sound processor.
     *
     * @param more at least 0; a fraction if tests are shared out
     */
    double spend(double more) {
        long today = (nanoClock.getAsLong() - start) / DAY;
        tests = (today == day ? tests : 0) + more;
        day = today;
        double beyond = 1 + Math.log(Math.max(1, tests / equalShares));
        return perDay / (2 * Math.max(equalShares, tests) * beyond * beyond);
    }
}
