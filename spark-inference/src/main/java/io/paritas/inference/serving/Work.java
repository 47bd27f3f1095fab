/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.function.Supplier;

/** One inference for an instance to do. Belongs to its {@link Broker}. */
final class Work {
    private final long number;
    private final Role role;
    private final Object tie;
    private final Query query;
    private final Supplier<float[]> input;
    private int attempts;
    private boolean over;
    private Batch batch;

    /**
     * New work.
     *
     * @param number its place in the order in which work is done
     * @param tie works with equal ties are never on one instance at a time, which would slow or lose them together
     * @param query that it belongs to; null for a parity
     * @param input makes the input when the work is sent, because a parity has to be encoded
     */
    Work(long number, Role role, Object tie, Query query, Supplier<float[]> input) {
        this.number = number;
        this.role = role;
        this.tie = tie;
        this.query = query;
        this.input = input;
    }

    long number() {
        return number;
    }

    Role role() {
        return role;
    }

    Object tie() {
        return tie;
    }

    Query query() {
        return query;
    }

    Supplier<float[]> input() {
        return input;
    }

    /** Counts a failed attempt; returns how many there were. */
    int failedAgain() {
        return ++attempts;
    }

    /** Whether it is answered, cancelled or given up. */
    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** The batch that it was sent with; null while it waits. */
    Batch batch() {
        return batch;
    }

    void sentWith(Batch sent) {
        batch = sent;
    }
}
