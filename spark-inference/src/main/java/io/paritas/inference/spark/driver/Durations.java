/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long segments took, and what that says of one that is out. Times are nanoseconds. Not thread-safe. */
final class Durations {
    /* Equal tasks differ by less on a quiet machine: below it nobody is thought of as slow. */
    private static final double EQUAL = 1.05;

    private final Ledger.Policy policy;
    private final List<Long> sorted = new ArrayList<>();

    Durations(Ledger.Policy policy) {
        this.policy = policy;
    }

    void add(long duration) {
        int place = Collections.binarySearch(sorted, duration);
        sorted.add(place < 0 ? -place - 1 : place, duration);
    }

    boolean isEmpty() {
        return sorted.isEmpty();
    }

    private long median() {
        return isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    /** The age at which a segment is late; the grace before any has ended. However patient, a few of them can be added. */
    long tolerated() {
        return Math.min(
                Long.MAX_VALUE / 4, Math.max((long) (policy.patience() * median()), median() + policy.graceNanos()));
    }

    /**
     * The age from which parity is computed for a segment. Where nobody wants the slots, parity is there when the segment is late;
     * where others wait for them, it is begun then. By {@link ParityStart#IDLE}, nobody wants the slots is reason enough.
     *
     * @param cost of a parity, as a multiple of a median
     * @param idle whether nobody wants the slots
     */
    long dangerous(double cost, boolean idle) {
        if (idle && policy.parity() == ParityStart.IDLE) {
            return 0;
        }
        if (isEmpty()) {
            return Long.MAX_VALUE;
        }
        return idle ? Math.max((long) (EQUAL * median()), tolerated() - (long) (cost * median())) : tolerated();
    }
}
