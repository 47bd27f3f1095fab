/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The pauses between the questions of a client to the driver: the longer, the longer nothing has changed. Clients of tasks that began
 * together do not ask together. Not thread-safe.
 */
final class Pauses {
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(2);

    private final DoubleSupplier random;
    private long pause = SHORTEST;

    /** @param random of 0 to 1 */
    Pauses(DoubleSupplier random) {
        this.random = random;
    }

    /** The next pause, in nanoseconds: up to a quarter more or less than what is due. */
    long next(boolean changed) {
        pause = changed ? SHORTEST : Math.min(pause + pause / 2, LONGEST);
        return (long) (pause * (0.75 + random.getAsDouble() / 2));
    }
}
