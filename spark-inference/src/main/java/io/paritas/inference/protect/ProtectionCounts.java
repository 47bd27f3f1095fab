/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.product.Findings;

/**
 * What checks have found.
 *
 * @param checks comparisons: of products with their checksums, and of other layers with themselves
 * @param unchecked comparisons that could not be made, because infinite values or no numbers went in
 * @param detections layers of a batch in which something wrong was found
 * @param recomputations layers that were computed once more and were right then
 */
public record ProtectionCounts(long checks, long unchecked, long detections, long recomputations) {
    /** Nothing yet. */
    public static final ProtectionCounts NONE = new ProtectionCounts(0, 0, 0, 0);

    private static final ThreadLocal<ProtectionCounts> OF_THREAD = ThreadLocal.withInitial(() -> NONE);

    /** What the predictions that the calling thread made have counted since it asked for the last time. */
    public static ProtectionCounts drain() {
        ProtectionCounts counted = OF_THREAD.get();
        OF_THREAD.remove();
        return counted;
    }

    /** Adds to the calling thread's. */
    void count() {
        OF_THREAD.set(OF_THREAD.get().plus(this));
    }

    static ProtectionCounts of(Findings findings) {
        return new ProtectionCounts(findings.checks(), findings.unchecked(), 0, 0);
    }

    /** Both together. */
    public ProtectionCounts plus(ProtectionCounts other) {
        return new ProtectionCounts(
                checks + other.checks,
                unchecked + other.unchecked,
                detections + other.detections,
                recomputations + other.recomputations);
    }
}
