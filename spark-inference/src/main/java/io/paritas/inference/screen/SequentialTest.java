/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * Decides from one audited batch after another whether a processor is faulty: Page's cumulative sum (Biometrika, 1954) of Wald's
 * likelihood ratios, of {@value #FAULTY} wrong batches against {@value #HEALTHY}, which stands for particles that hit sound
 * processors. Whenever the sum is zero, a test of Wald's begins with the next batch. It calls a sound processor faulty with at most the
 * probability that it begins with (Ville's inequality), which an {@link ErrorBudget} gives. At 10⁻⁹, one wrong batch makes a processor
 * suspect, and a second one, within some two thousand, faulty. Not thread-safe.
 */
final class SequentialTest {
    static final double HEALTHY = 1e-8;
    static final double FAULTY = 1e-3;

    private final double ofWrong;
    private final double ofRight;
    private double sum;
    private double limit = Double.POSITIVE_INFINITY;
    private long audited;
    private long wrong;
    private double compared;

    SequentialTest() {
        this(HEALTHY, FAULTY);
    }

    /** Between two shares of wrong batches. */
    SequentialTest(double healthy, double faulty) {
        this.ofWrong = Math.log(faulty / healthy);
        this.ofRight = Math.log1p(-faulty) - Math.log1p(-healthy);
    }

    /**
     * Adds a wrong batch, and returns what the processor is now.
     *
     * @param error probability to call a sound processor faulty, if a test begins here
     */
    Suspicion addWrong(double error) {
        audited++;
        wrong++;
        step(ofWrong, error);
        return suspicion();
    }

    /** The same of a right batch. A faulty processor stays faulty. */
    Suspicion addRight(double error) {
        audited++;
        step(ofRight, error);
        return suspicion();
    }

    /** Counts batches that would have been audited if they had looked wrong. */
    void addCompared(double batches, double error) {
        compared += batches;
        step(batches * ofRight, error);
    }

    private void step(double step, double error) {
        if (sum <= 0) {
            limit = -Math.log(error);
        }
        if (sum < limit) {
            sum = Math.max(0, sum + step);
        }
    }

    Suspicion suspicion() {
        if (sum >= limit) {
            return Suspicion.FAULTY;
        }
        return sum > 0 ? Suspicion.SUSPECT : Suspicion.NONE;
    }

    /** How much likelier its batches are of a faulty processor than of a sound one, since the test began: the logarithm to base 10. */
    double evidence() {
        return sum / Math.log(10);
    }

    /** The {@link #evidence} from which on it is faulty; infinite before the first batch. */
    double needed() {
        return limit / Math.log(10);
    }

    long audited() {
        return audited;
    }

    long wrong() {
        return wrong;
    }

    /** Batches that {@link #addCompared} has counted, rounded. */
    long compared() {
        return Math.round(compared);
    }
}
