/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How many lines a log has of clients that anybody may be: 100, and one for each second. Thread-safe. */
public final class LineLimit {
    private static final long AT_ONCE = 100;
    private static final long EACH = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private long lines = AT_ONCE;
    private long counted;
    private long leftOut;

    /** By the clock of the JVM. */
    public LineLimit() {
        this(System::nanoTime);
    }

    LineLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.counted = nanoTime.getAsLong();
    }

    /** How many lines were left out since that before, if there may be another one now; empty if it is left out, too. */
    synchronized OptionalLong next() {
        long seconds = (nanoTime.getAsLong() - counted) / EACH;
        counted += seconds * EACH;
        lines = Math.min(AT_ONCE, lines + seconds);
        if (lines == 0) {
            leftOut++;
            return OptionalLong.empty();
        }
        lines--;
        OptionalLong before = OptionalLong.of(leftOut);
        leftOut = 0;
        return before;
    }
}
