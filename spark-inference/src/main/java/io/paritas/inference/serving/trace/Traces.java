/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.paritas.PublicApi;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Begins the spans of requests, and sends spans to a collector of OpenTelemetry, or none. Thread-safe; never blocks but in close. */
@PublicApi
public final class Traces implements AutoCloseable {
    /** Traces nothing. */
    public static final Traces OFF =
            new Traces(Optional.empty(), OpenTelemetry.noop().getTracer(""), InstantSource.system());

    /** The header of a request that names the span which it is a part of. */
    public static final String TRACEPARENT = "traceparent";

    private static final String NAME = "io.paritas.serving";
    private static final Duration BETWEEN = Duration.ofSeconds(1);
    private static final long END_SECONDS = 5;
    private static final TextMapGetter<UnaryOperator<String>> HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(UnaryOperator<String> headers) {
            return List.of(TRACEPARENT, "tracestate");
        }

        @Override
        public String get(UnaryOperator<String> headers, String name) {
            return headers == null ? null : headers.apply(name);
        }
    };

    private final Optional<SdkTracerProvider> provider;
    private final Tracer tracer;
    private final InstantSource clock;

    private Traces(Optional<SdkTracerProvider> provider, Tracer tracer, InstantSource clock) {
        this.provider = provider;
        this.tracer = tracer;
        this.clock = clock;
    }

    /** Traces as the options say. */
    public static Traces of(TraceOptions options) {
        return options.isOff()
                ? OFF
                : to(
                        options,
                        OtlpHttpSpanExporter.builder()
                                .setEndpoint(options.endpoint().replaceFirst("/+$", "") + "/v1/traces")
                                .build());
    }

    /** Traces that go to an exporter in place of the endpoint. */
    static Traces to(TraceOptions options, SpanExporter exporter) {
        return to(options, exporter, InstantSource.system());
    }

    /** The same by another clock. */
    static Traces to(TraceOptions options, SpanExporter exporter, InstantSource clock) {
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault()
                        .merge(Resource.create(Attributes.builder()
                                .put("service.name", "paritas")
                                .build())))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(options.share())))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setScheduleDelay(BETWEEN)
                        .build())
                .build();
        return new Traces(Optional.of(provider), provider.get(NAME), clock);
    }

    /**
     * Begins the span of a request: of the trace that its headers name, or of a new one.
     *
     * @param headers the value of a header by its name, in lower case; null if there is none
     * @return {@link TraceSpan#OFF} if it is not to be traced
     */
    public TraceSpan begin(String name, UnaryOperator<String> headers) {
        if (provider.isEmpty()) {
            return TraceSpan.OFF;
        }
        long now = System.nanoTime();
        long epoch = epoch(now);
        Context parent = W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, HEADERS);
        Span span = tracer.spanBuilder(name)
                .setParent(parent)
                .setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(epoch + now, TimeUnit.NANOSECONDS)
                .startSpan();
        return span.isRecording() ? new TraceSpan(span, tracer, epoch) : TraceSpan.OFF;
    }

    /* Not for ever the same: the clock may be set, and nanoTime stands still while a machine is suspended. */
    private long epoch(long nanoTime) {
        Instant now = clock.instant();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - nanoTime;
    }

    /** Sends what is not sent yet, for at most 5 s. */
    @Override
    public void close() {
        provider.ifPresent(all -> all.shutdown().join(END_SECONDS, TimeUnit.SECONDS));
    }

    /** Sends what is not sent yet, for at most 5 s, and goes on. */
    void flush() {
        provider.ifPresent(all -> all.forceFlush().join(END_SECONDS, TimeUnit.SECONDS));
    }
}
