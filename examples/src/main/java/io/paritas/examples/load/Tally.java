/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.HdrHistogram.Histogram;

/** Counts what comes of queries. Thread-safe. */
final class Tally {
    private static final int DIGITS = 3;
    private static final BinaryOperator<Measured.Failures> SUM =
            (one, other) -> new Measured.Failures(one.count() + other.count(), one.message());

    private final long start;
    private final Histogram latencies = new Histogram(DIGITS);
    private final Histogram late = new Histogram(DIGITS);
    private final Histogram waits = new Histogram(DIGITS);
    private final TreeMap<String, Long> origins = new TreeMap<>();
    private final TreeMap<String, Measured.Failures> failures = new TreeMap<>();
    private long end;

    /** @param start when the first query that counts was to be sent, on the clock of {@link System#nanoTime} */
    Tally(long start) {
        this.start = start;
        this.end = start;
    }

    /** A query was sent. */
    synchronized void sent(Delays.Delay delay) {
        late.recordValue(delay.late());
        waits.recordValue(delay.waited());
    }

    /** A query has ended, at this time of the clock. */
    synchronized void ended(Outcome outcome, long latencyNanos, long now) {
        end = Math.max(end, now);
        if (!outcome.origin().isEmpty()) {
            origins.merge(outcome.origin(), 1L, Long::sum);
        }
        if (outcome.isAnswer()) {
            latencies.recordValue(latencyNanos);
        } else {
            failures.merge(outcome.failure(), new Measured.Failures(1, outcome.message()), SUM);
        }
    }

    /** All that was counted, when every query has ended. */
    synchronized Measured measured(double rate) {
        double seconds = Math.max(1, end - start) / 1e9;
        return new Measured(
                rate,
                latencies.getTotalCount() / seconds,
                latencies.copy(),
                origins,
                failures,
                late.getValueAtPercentile(99) / 1e6,
                waits.getValueAtPercentile(99) / 1e6);
    }
}
