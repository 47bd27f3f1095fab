/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.HdrHistogram.Histogram;

/** Counts the outcomes of queries. Thread-safe. */
final class Tally {
    private static final int DIGITS = 3;
    private static final BinaryOperator<RateResult.Failures> SUM =
            (one, other) -> new RateResult.Failures(one.count() + other.count(), one.message());

    private final long start;
    private final Histogram latencies = new Histogram(DIGITS);
    private final Histogram late = new Histogram(DIGITS);
    private final Histogram waits = new Histogram(DIGITS);
    private final TreeMap<String, Long> outcomes = new TreeMap<>();
    private final TreeMap<String, RateResult.Failures> failures = new TreeMap<>();
    private long end;

    /** @param start due time of the first query that counts, on the clock of {@link System#nanoTime} */
    Tally(long start) {
        this.start = start;
        this.end = start;
    }

    /** Records that a query was sent. */
    synchronized void sent(Delays.Delay delay) {
        late.recordValue(delay.late());
        waits.recordValue(delay.waited());
    }

    /** Records the end of a query at this time of the clock. */
    synchronized void ended(Outcome outcome, long latencyNanos, long now) {
        end = Math.max(end, now);
        if (!outcome.label().isEmpty()) {
            outcomes.merge(outcome.label(), 1L, Long::sum);
        }
        if (outcome.isAnswer()) {
            latencies.recordValue(latencyNanos);
        } else {
            failures.merge(outcome.failure(), new RateResult.Failures(1, outcome.message()), SUM);
        }
    }

    /** Returns the results, after every query has ended. */
    synchronized RateResult measured(double rate) {
        double seconds = Math.max(1, end - start) / 1e9;
        return new RateResult(
                rate,
                latencies.getTotalCount() / seconds,
                latencies.copy(),
                outcomes,
                failures,
                late.getValueAtPercentile(99) / 1e6,
                waits.getValueAtPercentile(99) / 1e6);
    }
}
