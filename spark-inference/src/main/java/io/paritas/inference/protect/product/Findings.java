/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

/**
 * What the checks of a product found.
 *
 * @param checks comparisons
 * @param unchecked parts that could not be compared, because what went in has values that are not finite
 * @param faults comparisons that failed
 */
public record Findings(long checks, long unchecked, long faults) {
    /** Nothing was compared. */
    public static final Findings NONE = new Findings(0, 0, 0);

    /** Both together. */
    public Findings plus(Findings other) {
        return new Findings(checks + other.checks, unchecked + other.unchecked, faults + other.faults);
    }
}
