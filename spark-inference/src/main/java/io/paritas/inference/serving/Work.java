/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.function.Supplier;

/** One inference that an instance is to do. Belongs to its {@link Broker}. */
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
     * @param number the order in which work is done
     * @param tie works with the same are never on the same instance at a time: it would slow or lose both
     * @param query whose it is; null for a parity
     * @param input made when it is sent, because a parity has to be encoded
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

    /** Counts an instance that failed with it; returns how many have. */
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

    /** With which it was sent; null while it waits. */
    Batch batch() {
        return batch;
    }

    void sentWith(Batch sent) {
        batch = sent;
    }
}
