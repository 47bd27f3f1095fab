/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.serving.trace.TraceSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A query and the state of its answer. Belongs to its {@link Broker}. */
final class Query {
    private final Optional<String> tenant;
    private final float[] input;
    private final long arrived;
    private final long deadline;
    private final Consumer<Reply> onReply;
    private final TraceSpan trace;
    private final List<Work> works = new ArrayList<>(2);
    private Timers.Timer expiry;
    private boolean replied;
    private String trouble = "";
    private float[] fallback;

    /**
     * A new query.
     *
     * @param tenant whose queries it may be coded with; empty if with none
     * @param input not copied
     * @param arrived in nanoseconds
     * @param deadline in nanoseconds
     * @param trace the span that it is a part of
     */
    Query(
            Optional<String> tenant,
            float[] input,
            long arrived,
            long deadline,
            Consumer<Reply> onReply,
            TraceSpan trace) {
        this.tenant = tenant;
        this.input = input;
        this.arrived = arrived;
        this.deadline = deadline;
        this.onReply = onReply;
        this.trace = trace;
    }

    TraceSpan trace() {
        return trace;
    }

    Optional<String> tenant() {
        return tenant;
    }

    float[] input() {
        return input;
    }

    long arrived() {
        return arrived;
    }

    long deadline() {
        return deadline;
    }

    Consumer<Reply> onReply() {
        return onReply;
    }

    /** Its own works; parities belong to its group. */
    List<Work> works() {
        return works;
    }

    /** Whether it needs no reply any more: it has one, or nobody wants it. */
    boolean isReplied() {
        return replied;
    }

    void replied() {
        replied = true;
    }

    Timers.Timer expiry() {
        return expiry;
    }

    void expiresWith(Timers.Timer timer) {
        expiry = timer;
    }

    /** The last failure of an instance with it; empty if there was none. */
    String trouble() {
        return trouble;
    }

    void trouble(String reason) {
        trouble = reason;
    }

    /** The answer of the backup model; null if there is none. */
    float[] fallback() {
        return fallback;
    }

    void fallback(float[] values) {
        fallback = values;
    }
}
