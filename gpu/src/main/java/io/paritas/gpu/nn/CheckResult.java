/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.List;

/**
 * What the checks of layers found.
 *
 * @param faults how many threads (with {@link Scheme#GLOBAL}: blocks of rows) found a difference beyond the tolerance
 * @param unchecked how many could not compare, because their input has values that are not finite, or too large
 * @param reports the first 63 faults at most, in no order
 */
public record CheckResult(int faults, int unchecked, List<Fault> reports) {
    /** Nothing is wrong, and nothing was left unchecked. */
    public static final CheckResult NOTHING = new CheckResult(0, 0, List.of());

    /**
     * A fault.
     *
     * @param row in C, of the first value that was summed
     * @param column in C, of the first value that was summed
     * @param difference between the sum and its checksum; NaN if two copies differ ({@link Scheme#DUPLICATION})
     * @param tolerance largest difference that rounding can explain
     */
    public record Fault(int row, int column, float difference, float tolerance) {}

    /** Copies the list. */
    public CheckResult {
        reports = List.copyOf(reports);
    }

    /** Returns whether no check failed; some may have been skipped. */
    public boolean isClean() {
        return faults == 0;
    }
}
