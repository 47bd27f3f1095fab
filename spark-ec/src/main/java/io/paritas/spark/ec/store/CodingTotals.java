/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

/** How much this JVM has coded since it began: parity made, lost units decoded or repaired. Thread-safe. */
public final class CodingTotals {
    private CodingTotals() {}

    /** Bytes that the code has read. */
    public static long bytes() {
        return Coding.CODED_BYTES.sum();
    }

    /** Time that threads spent on it. */
    public static long nanos() {
        return Coding.CODING_NANOS.sum();
    }
}
