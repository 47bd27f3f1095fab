/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/**
 * Counts of checks and of what they found.
 *
 * @param checks comparisons: of matrix products with checksums, of other layers with a second run
 * @param unchecked comparisons that could not be made because values were infinite or NaN
 * @param detections layers of a batch with wrong values
 * @param recomputations layers that were right when computed again
 */
public record ProtectionCounts(long checks, long unchecked, long detections, long recomputations) {
    /** No checks. */
    public static final ProtectionCounts NONE = new ProtectionCounts(0, 0, 0, 0);

    /** The sum of both. */
    public ProtectionCounts plus(ProtectionCounts other) {
        return new ProtectionCounts(
                checks + other.checks,
                unchecked + other.unchecked,
                detections + other.detections,
                recomputations + other.recomputations);
    }
}
