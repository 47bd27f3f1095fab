/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waiting for what other threads and processes do: a condition, a time-out, and what to say when it passes. */
public final class Await {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long POLL_MILLIS = 20;

    private Await() {}

    /** @param state what to report if the condition does not come true */
    public static void until(String condition, Callable<Boolean> isTrue, Callable<?> state) throws Exception {
        long start = System.nanoTime();
        while (!isTrue.call()) {
            if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                throw new AssertionError(
                        "Waited " + TIMEOUT.toSeconds() + " s until " + condition + "; now: " + state.call());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
