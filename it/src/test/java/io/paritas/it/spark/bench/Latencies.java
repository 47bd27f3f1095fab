/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

/**
 * What came of the queries of a run.
 *
 * @param nanos ascending; of a query without an answer, {@link Long#MAX_VALUE}
 * @param reconstructed answers
 * @param unavailable queries without an answer
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Latencies(long[] nanos, long reconstructed, long unavailable) {
    /** In milliseconds; infinite if that query has no answer. */
    double percentile(double percent) {
        long nano = nanos[Math.max(0, (int) Math.ceil(percent / 100 * nanos.length) - 1)];
        return nano == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : nano / 1e6;
    }
}
