/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import java.util.Locale;

/**
 * Measures a task for its summary.
 *
 * @param started start by {@link System#nanoTime()}
 */
record Stopwatch(long started) {
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    /** Fewer bytes would measure the start of the JVM. */
    private static final long ENOUGH = 16L << 20;

    static Stopwatch start() {
        return new Stopwatch(System.nanoTime());
    }

    /** Returns the time since the start, the speed if there are enough bytes, and the kernel. */
    String rate(long bytes) {
        double seconds = (System.nanoTime() - started) / NANOS;
        String rate = bytes < ENOUGH ? "" : String.format(Locale.ROOT, "%.0f MB/s, ", bytes / MEGA / seconds);
        KernelProvider kernel = KernelChoice.current().provider();
        return String.format(
                Locale.ROOT, "%.2f s, %s%s kernel (%s)", seconds, rate, kernel.name(), kernel.description());
    }
}
