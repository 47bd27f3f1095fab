/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.paritas.PublicApi;
import java.util.concurrent.TimeUnit;

/** A span of a trace, or {@link #OFF}, which does nothing. Times are those of {@link System#nanoTime}. Thread-safe. */
@PublicApi
public final class TraceSpan {
    /** The span of what is not traced. */
    public static final TraceSpan OFF = new TraceSpan(Span.getInvalid(), null, 0);

    private final Span span;
    private final Tracer tracer;
    private final long epoch;

    /**
     * A span.
     *
     * @param tracer of the spans in it
     * @param epoch nanoseconds from the epoch to the origin of {@link System#nanoTime}
     */
    TraceSpan(Span span, Tracer tracer, long epoch) {
        this.span = span;
        this.tracer = tracer;
        this.epoch = epoch;
    }

    /** Whether it is recorded. */
    public boolean isOn() {
        return this != OFF;
    }

    /** Begins a span in this one. */
    public TraceSpan begin(String name, long now) {
        if (!isOn()) {
            return OFF;
        }
        Span child = tracer.spanBuilder(name)
                .setParent(Context.root().with(span))
                .setStartTimestamp(epoch + now, TimeUnit.NANOSECONDS)
                .startSpan();
        return new TraceSpan(child, tracer, epoch);
    }

    /** Says something about it. */
    public TraceSpan with(String name, String value) {
        if (isOn()) {
            span.setAttribute(name, value);
        }
        return this;
    }

    /** Says a number about it. */
    public TraceSpan with(String name, long value) {
        if (isOn()) {
            span.setAttribute(name, value);
        }
        return this;
    }

    /** Ends it. Does nothing if it has ended. */
    public void end(long now) {
        if (isOn()) {
            span.end(epoch + now, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends it with an error. Does nothing if it has ended. */
    public void fail(String reason, long now) {
        if (isOn()) {
            span.setStatus(StatusCode.ERROR, reason);
            end(now);
        }
    }

    /** The header {@code traceparent} for what happens elsewhere in it (W3C Trace Context, 3.2); empty if it is off. */
    public String traceparent() {
        SpanContext context = span.getSpanContext();
        return isOn()
                ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                        + context.getTraceFlags().asHex()
                : "";
    }
}
