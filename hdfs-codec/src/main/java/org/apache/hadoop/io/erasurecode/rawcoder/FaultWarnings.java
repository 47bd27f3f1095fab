/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.kernel.CodingFaultException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Warnings of faults after which a coder computes once more. A broken machine may have many a second: the first one is logged, and then
 * at most one a minute, with how many there were until then. Thread-safe.
 */
final class FaultWarnings {
    private static final long BETWEEN = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<String> log;
    private long faults;
    private long logged;

    FaultWarnings(Consumer<String> log) {
        this.log = log;
    }

    /** @param now of {@link System#nanoTime} */
    synchronized void warn(CodingFaultException fault, long now) {
        faults++;
        if (faults == 1 || now - logged >= BETWEEN) {
            logged = now;
            log.accept(fault + " (fault " + faults + " of this process; the coder computes once more)");
        }
    }
}
