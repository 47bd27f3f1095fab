/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

import java.util.Collections;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What one rate gave. Times are in milliseconds.
 *
 * @param rate queries for each second, as asked for
 * @param reached answers for each second, from when the first query was to be sent to the last reply
 * @param latencies of the answers, in nanoseconds; not to be changed
 * @param origins how many replies say each
 * @param failures by status, or by what happened to the connection
 * @param late 99 of 100 queries were sent at most so much later than they should, for want of CPU
 * @param waited 99 of 100 queries waited at most so long for a connection
 */
record Measured(
        double rate,
        double reached,
        Histogram latencies,
        SortedMap<String, Long> origins,
        SortedMap<String, Failures> failures,
        double late,
        double waited) {
    /**
     * Failures of one kind.
     *
     * @param message what was said about the first of them
     */
    record Failures(long count, String message) {}

    Measured {
        origins = Collections.unmodifiableSortedMap(new TreeMap<>(origins));
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }

    long answered() {
        return latencies.getTotalCount();
    }

    long failed() {
        return failures.values().stream().mapToLong(Failures::count).sum();
    }

    /**
     * The latency that this percentage of all queries did not exceed. A query that failed counts as one whose answer never
     * comes: empty if there is no such latency.
     */
    OptionalDouble percentile(double percent) {
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * (answered() + failed())));
        return rank > answered()
                ? OptionalDouble.empty()
                : OptionalDouble.of(latencies.getValueAtPercentile(100.0 * rank / answered()) / 1e6);
    }

    /** The mean latency of the answers; empty if there are none. */
    OptionalDouble mean() {
        return answered() == 0 ? OptionalDouble.empty() : OptionalDouble.of(latencies.getMean() / 1e6);
    }
}
