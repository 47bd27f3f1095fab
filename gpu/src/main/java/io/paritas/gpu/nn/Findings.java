/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.List;

/**
 * What the checks of products found.
 *
 * @param faults threads (with {@link Scheme#GLOBAL} blocks of rows) that saw a difference beyond the tolerance
 * @param unchecked those that could not compare, because what went in has values that are not finite, or too large
 * @param reports of the faults, up to 63, in no order
 */
public record Findings(int faults, int unchecked, List<Report> reports) {
    /**
     * A fault.
     *
     * @param row in C, the first of those that were summed
     * @param column in C, the first of those that were summed
     * @param difference of the sum and its checksum; not a number if copies differ ({@link Scheme#DUPLICATION})
     * @param tolerance how large the difference may be without a fault
     */
    public record Report(int row, int column, float difference, float tolerance) {}

    /** Copies the list. */
    public Findings {
        reports = List.copyOf(reports);
    }

    /** Whether no check failed; some may not have been made. */
    public boolean isClean() {
        return faults == 0;
    }
}
