/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.serving.trace.TraceSpan;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** One inference for an instance to do. Belongs to its {@link Broker}. */
final class Work {
    private final long number;
    private final Role role;
    private final Object tie;
    private final Query query;
    private final Supplier<float[]> input;
    private final boolean probe;
    private List<Instance> failures = List.of();
    private boolean over;
    private Batch batch;
    private TraceSpan trace = TraceSpan.OFF;
    private TraceSpan span = TraceSpan.OFF;

    /**
     * New work.
     *
     * @param number its place in the order in which work is done
     * @param tie works with equal ties are never on one instance at a time, which would slow or lose them together
     * @param query that it belongs to; null for a parity
     * @param input makes the input when the work is sent, because a parity has to be encoded
     */
    Work(long number, Role role, Object tie, Query query, Supplier<float[]> input) {
        this(number, role, tie, query, input, false);
    }

    private Work(long number, Role role, Object tie, Query query, Supplier<float[]> input, boolean probe) {
        this.number = number;
        this.role = role;
        this.tie = tie;
        this.query = query;
        this.input = input;
        this.probe = probe;
        this.over = probe;
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

    /** Notes a failed attempt. */
    void failedOn(Instance instance) {
        failures = Stream.concat(failures.stream(), Stream.of(instance)).toList();
    }

    /** The instances of its failed attempts. */
    List<Instance> failures() {
        return failures;
    }

    /** Whether it is answered, cancelled or given up. */
    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** The span that it is a part of: that of its query, or of one of those that a parity protects. */
    TraceSpan trace() {
        return query == null ? trace : query.trace();
    }

    void traced(TraceSpan parent) {
        trace = parent;
    }

    /** The span of what an instance does with it. */
    TraceSpan span() {
        return span;
    }

    void span(TraceSpan begun) {
        span = begun;
    }

    /** A copy whose answer only tells how fast an instance is. */
    Work probe(long copy) {
        return new Work(copy, role, new Object(), null, input, true);
    }

    boolean isProbe() {
        return probe;
    }

    /** The batch that it was sent with; null while it waits. */
    Batch batch() {
        return batch;
    }

    void sentWith(Batch sent) {
        batch = sent;
    }
}
