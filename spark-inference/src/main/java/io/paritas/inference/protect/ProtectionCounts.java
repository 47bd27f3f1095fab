/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Findings;

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

    private static final ThreadLocal<ProtectionCounts> OF_THREAD = ThreadLocal.withInitial(() -> NONE);

    /** Returns the counts of the calling thread's predictions, and sets them to zero. */
    public static ProtectionCounts drain() {
        ProtectionCounts counted = OF_THREAD.get();
        OF_THREAD.remove();
        return counted;
    }

    /** Adds to the calling thread's counts. */
    public void count() {
        OF_THREAD.set(OF_THREAD.get().plus(this));
    }

    static ProtectionCounts of(Findings findings) {
        return new ProtectionCounts(findings.checks(), findings.unchecked(), 0, 0);
    }

    /** The sum of both. */
    public ProtectionCounts plus(ProtectionCounts other) {
        return new ProtectionCounts(
                checks + other.checks,
                unchecked + other.unchecked,
                detections + other.detections,
                recomputations + other.recomputations);
    }
}
