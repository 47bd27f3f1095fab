/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * Decides from one audited batch after another whether a processor is faulty: Page's cumulative sum (Biometrika, 1954) of Wald's
 * likelihood ratios, of {@value #FAULTY} wrong batches against {@value #HEALTHY}, which stands for particles that hit sound
 * processors. A sound one is called faulty once in at least {@value #BATCHES_TO_FALSE_ALARM} audited batches (Lorden, 1971).
 * So one wrong batch makes a processor suspect, and a second one, within some two thousand, faulty. Not thread-safe.
 */
final class SequentialTest {
    static final double HEALTHY = 1e-8;
    static final double FAULTY = 1e-3;
    static final double BATCHES_TO_FALSE_ALARM = 1e9;

    private static final double OF_WRONG = Math.log(FAULTY / HEALTHY);
    private static final double OF_RIGHT = Math.log1p(-FAULTY) - Math.log1p(-HEALTHY);
    private static final double LIMIT = Math.log(BATCHES_TO_FALSE_ALARM);

    private double sum;
    private long audited;
    private long wrong;

    /** Adds a batch, and returns what the processor is now. A faulty one stays faulty. */
    Suspicion add(boolean isWrong) {
        audited++;
        wrong += isWrong ? 1 : 0;
        step(isWrong ? OF_WRONG : OF_RIGHT);
        return suspicion();
    }

    /** Counts batches that would have been audited if they had looked wrong. */
    void addRight(double batches) {
        step(batches * OF_RIGHT);
    }

    private void step(double step) {
        if (sum < LIMIT) {
            sum = Math.max(0, sum + step);
        }
    }

    Suspicion suspicion() {
        if (sum >= LIMIT) {
            return Suspicion.FAULTY;
        }
        return sum > 0 ? Suspicion.SUSPECT : Suspicion.NONE;
    }

    long audited() {
        return audited;
    }

    long wrong() {
        return wrong;
    }
}
