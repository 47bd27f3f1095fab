/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * Counts of the checks of a matrix product.
 *
 * @param checks comparisons
 * @param unchecked parts that could not be compared because A or B has values that are not finite
 * @param faults comparisons that failed
 */
public record Findings(long checks, long unchecked, long faults) {
    /** No checks. */
    public static final Findings NONE = new Findings(0, 0, 0);

    /** The sum of both. */
    public Findings plus(Findings other) {
        return new Findings(checks + other.checks, unchecked + other.unchecked, faults + other.faults);
    }
}
