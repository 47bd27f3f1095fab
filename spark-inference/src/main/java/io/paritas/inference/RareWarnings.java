/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Warnings that clients may cause as often as they like. Of each kind the first one is logged, and then at most one in ten seconds, with
 * how many there were between them. Those are logged as DEBUG. Thread-safe.
 */
public final class RareWarnings {
    private static final long BETWEEN = 10_000_000_000L;

    private final Logger log;
    private final LongSupplier nanoTime;
    private final Map<String, Kind> kinds = new HashMap<>();

    private static final class Kind {
        private long logged;
        private long others;
    }

    /** Warnings of a logger, by the clock of the JVM. */
    public RareWarnings(Logger log) {
        this(log, System::nanoTime);
    }

    /** Warnings of a logger, by a clock. */
    public RareWarnings(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /**
     * Warns, unless there was such a warning just now.
     *
     * @param kind one of a few, which are remembered
     */
    public void warn(String kind, String text) {
        long others = others(kind, nanoTime.getAsLong());
        if (others < 0) {
            log.debug(text);
        } else {
            log.warn(others == 0 ? text : text + " (and " + others + " more since the last one, logged as DEBUG)");
        }
    }

    /** How many warnings there were since the last one that was logged; -1 if this one comes too soon after it. */
    private synchronized long others(String name, long now) {
        Kind kind = kinds.get(name);
        if (kind == null) {
            kind = new Kind();
            kinds.put(name, kind);
        } else if (now - kind.logged < BETWEEN) {
            kind.others++;
            return -1;
        }
        long others = kind.others;
        kind.logged = now;
        kind.others = 0;
        return others;
    }
}
