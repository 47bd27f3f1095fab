/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.io.IOException;
import java.time.Duration;

/**
 * The speed of a coder at an operation: the best of many short windows, which is what the machine can do when nothing else
 * disturbs it. Measuring begins when the speed has stopped to rise, so when the JVM has compiled what runs. The result is
 * checked, so that nothing is measured that does not decode.
 */
final class Measurement {
    private static final long WINDOW = Duration.ofMillis(20).toNanos();

    private static final long LONGEST_WARM_UP = Duration.ofSeconds(15).toNanos();
    private static final double STILL_RISING = 1.1;

    private final Stripe stripe;
    private final Duration measured;

    Measurement(Stripe stripe, Duration measured) {
        this.stripe = stripe;
        this.measured = measured;
    }

    /** Gigabytes (10⁹) of data per second. */
    double gigabytesPerSecond(Coder coder, Operation operation) throws IOException {
        Coder.OnStripe onStripe = coder.onStripe().apply(stripe);
        int r = stripe.code().r();
        onStripe.encode();
        warmUp(onStripe, operation);
        double best = best(onStripe, operation, measured);
        if (!stripe.outputsAreData(operation.erased(r))) {
            throw new IllegalStateException(coder.name() + " does not decode a " + stripe.code() + " stripe");
        }
        return best;
    }

    private void warmUp(Coder.OnStripe coder, Operation operation) throws IOException {
        long end = System.nanoTime() + LONGEST_WARM_UP;
        double before = best(coder, operation, measured);
        double now = best(coder, operation, measured);
        while (now > before * STILL_RISING && System.nanoTime() < end) {
            before = now;
            now = best(coder, operation, measured);
        }
    }

    private double best(Coder.OnStripe coder, Operation operation, Duration duration) throws IOException {
        long end = System.nanoTime() + duration.toNanos();
        double best = 0;
        do {
            best = Math.max(best, window(coder, operation));
        } while (System.nanoTime() < end);
        return best;
    }

    private double window(Coder.OnStripe coder, Operation operation) throws IOException {
        long start = System.nanoTime();
        long bytes = 0;
        long elapsed;
        do {
            coder.run(operation, stripe.code().r());
            bytes += stripe.dataBytes();
            elapsed = System.nanoTime() - start;
        } while (elapsed < WINDOW);
        return (double) bytes / elapsed;
    }
}
