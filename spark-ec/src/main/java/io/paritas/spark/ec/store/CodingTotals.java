/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

/** What this JVM has encoded, decoded and repaired of kept rows since it started. Thread-safe. */
public final class CodingTotals {
    private CodingTotals() {}

    /** The bytes that codes have read. */
    public static long bytes() {
        return WindowedCoder.CODED_BYTES.sum();
    }

    /** The time that threads have spent coding, in nanoseconds. */
    public static long nanos() {
        return WindowedCoder.CODING_NANOS.sum();
    }
}
