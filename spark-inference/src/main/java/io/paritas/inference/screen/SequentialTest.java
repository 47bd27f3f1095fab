/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * Decides from one audited batch after another whether a processor is faulty: Page's cumulative sum (Biometrika, 1954) of Wald's
 * likelihood ratios, of {@value #FAULTY} wrong batches against {@value #HEALTHY}, which stands for particles that hit sound
 * processors. A sound one is called faulty once in at least {@value #BATCHES_TO_FALSE_ALARM} audited batches (Lorden, 1971).
 * So one wrong batch makes a processor suspect, and a second one, within some two thousand, faulty.
 *
 * <p>A batch that is audited because it looked wrong counts otherwise. Of a sound processor, one in a thousand batches looks wrong and
 * {@value #HEALTHY} are, so that at most {@value #HEALTHY_CHOSEN} of those chosen are wrong; of a faulty one, as many as not. Not
 * thread-safe.
 */
final class SequentialTest {
    static final double HEALTHY = 1e-8;
    static final double FAULTY = 1e-3;
    static final double HEALTHY_CHOSEN = 1e-5;
    static final double FAULTY_CHOSEN = 0.5;
    static final double BATCHES_TO_FALSE_ALARM = 1e9;

    private static final double OF_WRONG = Math.log(FAULTY / HEALTHY);
    private static final double OF_RIGHT = Math.log1p(-FAULTY) - Math.log1p(-HEALTHY);
    private static final double OF_CHOSEN_WRONG = Math.log(FAULTY_CHOSEN / HEALTHY_CHOSEN);
    private static final double OF_CHOSEN_RIGHT = Math.log1p(-FAULTY_CHOSEN) - Math.log1p(-HEALTHY_CHOSEN);
    private static final double LIMIT = Math.log(BATCHES_TO_FALSE_ALARM);

    private double sum;
    private long audited;
    private long wrong;

    /** Adds a batch, and returns what the processor is now. A faulty one stays faulty. */
    Suspicion add(boolean isWrong) {
        return add(isWrong, isWrong ? OF_WRONG : OF_RIGHT);
    }

    /** Adds a batch that looked wrong before it was audited. */
    Suspicion addChosen(boolean isWrong) {
        return add(isWrong, isWrong ? OF_CHOSEN_WRONG : OF_CHOSEN_RIGHT);
    }

    private Suspicion add(boolean isWrong, double step) {
        audited++;
        wrong += isWrong ? 1 : 0;
        if (sum < LIMIT) {
            sum = Math.max(0, sum + step);
        }
        return suspicion();
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
