/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The results of one rate. Times are in milliseconds.
 *
 * @param rate requested queries a second
 * @param reached answers a second, from the due time of the first query to the last reply
 * @param latencies of the answers, in nanoseconds; must not be modified
 * @param outcomes number of replies of each outcome
 * @param failures by status, or by the fault of the connection
 * @param late 99th percentile of the generator's delay, for want of CPU
 * @param waited 99th percentile of the wait for a connection
 */
record RateResult(
        double rate,
        double reached,
        Histogram latencies,
        SortedMap<String, Long> outcomes,
        SortedMap<String, Failures> failures,
        double late,
        double waited) {
    /**
     * Failures of one kind.
     *
     * @param message of the first of them
     */
    record Failures(long count, String message) {}

    RateResult {
        outcomes = Collections.unmodifiableSortedMap(new TreeMap<>(outcomes));
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }

    long answered() {
        return latencies.getTotalCount();
    }

    long failed() {
        return failures.values().stream().mapToLong(Failures::count).sum();
    }

    /**
     * Returns a percentile of the latencies of all queries. A failed query counts as never answered: empty if the percentile
     * falls on one.
     */
    OptionalDouble percentile(double percent) {
        // 99.9 is a little more than that as a double.
        long rank = BigDecimal.valueOf(percent)
                .multiply(BigDecimal.valueOf(answered() + failed()))
                .movePointLeft(2)
                .setScale(0, RoundingMode.CEILING)
                .max(BigDecimal.ONE)
                .longValueExact();
        return rank > answered()
                ? OptionalDouble.empty()
                : OptionalDouble.of(latencies.getValueAtPercentile(100.0 * rank / answered()) / 1e6);
    }

    /** Returns the mean latency of the answers; empty if there are none. */
    OptionalDouble mean() {
        return answered() == 0 ? OptionalDouble.empty() : OptionalDouble.of(latencies.getMean() / 1e6);
    }
}
