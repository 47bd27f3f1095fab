/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.grpc.GrpcClient;
import io.paritas.inference.serving.grpc.GrpcServer;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.HttpServer;
import io.paritas.inference.serving.http.LocalInstances;
import io.paritas.inference.serving.protocol.Predictions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of requests over HTTP and gRPC, received. */
class TracesTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";
    private static final String TRACEPARENT = "00-" + TRACE + "-" + PARENT + "-01";
    private static final String BODY =
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3]," + "\"data\":[1,2,3]}]}";
    private static final TraceOptions ON = new TraceOptions("http://127.0.0.1:4318", 1);

    private final InMemorySpanExporter received = InMemorySpanExporter.create();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final HttpClient client = HttpClient.newHttpClient();
    private Traces traces = Traces.to(ON, received);
    private FrontEnd frontEnd;
    private LocalInstances instances;
    private HttpServer server;

    private void start() {
        frontEnd = new FrontEnd(traces);
        instances = new LocalInstances(frontEnd, thread);
        instances.serve("1", Limits.DEFAULT.withDeadline(Duration.ofSeconds(30)), 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT);
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
            frontEnd.close();
        }
        traces.close();
        thread.shutdownNow();
    }

    private HttpResponse<String> infer(String body, String... headers) throws Exception {
        return ask("linear", body, headers);
    }

    private HttpResponse<String> ask(String model, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(server.url() + "/v2/models/" + model + "/infer"))
                .POST(BodyPublishers.ofString(body));
        return client.send((headers.length > 0 ? request.headers(headers) : request).build(), BodyHandlers.ofString());
    }

    private List<SpanData> spans(String name) {
        traces.flush();
        return received.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }

    @Test
    void aRequestGoesOnWithItsTraceAndSaysWhereItsTimeWent() throws Exception {
        start();
        instances.freeze(Role.parity(0), 0); // Even if the prediction is late, nobody else answers.

        assertThat(infer(BODY, "traceparent", TRACEPARENT, "tracestate", "a=b").statusCode())
                .isEqualTo(200);

        SpanData request = spans("infer linear").get(0);
        assertThat(request.getTraceId()).isEqualTo(TRACE);
        assertThat(request.getParentSpanId()).isEqualTo(PARENT);
        assertThat(request.getSpanContext().getTraceState().get("a")).isEqualTo("b");
        assertThat(request.getKind()).isEqualTo(SpanKind.SERVER);
        assertThat(attribute(request, "paritas.outcome")).isEqualTo("predicted");
        assertThat(attribute(request, "paritas.protocol")).isEqualTo("HTTP");
        assertThat(request.getResource().getAttribute(AttributeKey.stringKey("service.name")))
                .isEqualTo("paritas");
        SpanData queue = spans("queue").get(0);
        SpanData compute = spans("compute").get(0);
        assertThat(List.of(queue, compute)).allSatisfy(step -> {
            assertThat(step.getTraceId()).isEqualTo(TRACE);
            assertThat(step.getParentSpanId()).isEqualTo(request.getSpanId());
            assertThat(step.getStartEpochNanos()).isGreaterThanOrEqualTo(request.getStartEpochNanos());
            assertThat(step.getEndEpochNanos()).isLessThanOrEqualTo(request.getEndEpochNanos());
        });
        assertThat(queue.getEndEpochNanos()).isEqualTo(compute.getStartEpochNanos());
        assertThat(attribute(compute, "paritas.role")).isEqualTo("deployed");
        assertThat(attribute(compute, "paritas.instance")).startsWith("deployed/");
    }

    @Test
    void aReconstructionIsInItsTraceWithTheParityThatItNeeds() throws Exception {
        start();
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);

        assertThat(infer(BODY, "traceparent", TRACEPARENT).headers().firstValue("Paritas-Outcome"))
                .contains("reconstructed");

        SpanData request = spans("infer linear").get(0);
        assertThat(attribute(request, "paritas.outcome")).isEqualTo("reconstructed");
        assertThat(spans("reconstruct"))
                .singleElement()
                .extracting(SpanData::getParentSpanId)
                .isEqualTo(request.getSpanId());
        assertThat(spans("compute"))
                .filteredOn(span -> "parity-0".equals(attribute(span, "paritas.role")))
                .singleElement()
                .extracting(SpanData::getTraceId)
                .isEqualTo(TRACE);
    }

    @Test
    void overGrpcTheTraceComesWithTheMetadata() throws Exception {
        start();
        try (GrpcServer grpc = new GrpcServer(frontEnd, HttpOptions.DEFAULT);
                GrpcClient caller = new GrpcClient(grpc.target(), Map.of("traceparent", TRACEPARENT))) {
            assertThat(caller.infer("linear", "input", new float[] {1, 2, 3})).hasSize(2);
        }

        SpanData request = spans("infer linear").get(0);
        assertThat(request.getTraceId()).isEqualTo(TRACE);
        assertThat(request.getParentSpanId()).isEqualTo(PARENT);
        assertThat(attribute(request, "paritas.protocol")).isEqualTo("gRPC");
        assertThat(spans("compute")).isNotEmpty();
    }

    @Test
    void clientsDecideWhetherTheirRequestsAreTraced() throws Exception {
        start();

        infer(BODY, "traceparent", TRACEPARENT.replaceAll("01$", "00"));
        infer(BODY, "traceparent", "nonsense"); // as if there were none

        assertThat(spans("infer linear")).singleElement().satisfies(request -> {
            assertThat(request.getTraceId()).isNotEqualTo(TRACE);
            assertThat(request.getParentSpanId()).isEqualTo("0000000000000000");
        });
    }

    @Test
    void ofRequestsWithoutATraceTheShareIsTraced() throws Exception {
        traces = Traces.to(new TraceOptions(ON.endpoint(), 0), received);
        start();

        infer(BODY);
        assertThat(spans("infer linear")).isEmpty();
        infer(BODY, "traceparent", TRACEPARENT);
        assertThat(spans("infer linear")).hasSize(1);
    }

    /** A collector keeps names, of which a client can make up as many as it likes. */
    @Test
    void aModelThatIsNotThereGivesNoName() throws Exception {
        start();

        assertThat(ask("made-up", BODY).statusCode()).isEqualTo(404);
        try (GrpcServer grpc = new GrpcServer(frontEnd, HttpOptions.DEFAULT);
                GrpcClient caller = new GrpcClient(grpc.target(), Map.of())) {
            assertThatThrownBy(() -> caller.infer("made-up", "input", new float[] {1, 2, 3}))
                    .hasMessageContaining("there is no model 'made-up'");
        }

        assertThat(spans("infer"))
                .extracting(span -> span.getStatus().getDescription())
                .hasSize(2)
                .allSatisfy(reason -> assertThat(reason).startsWith("there is no model 'made-up'"));
        assertThat(spans("infer made-up")).isEmpty();
    }

    @Test
    void anErrorIsOneInItsTrace() throws Exception {
        start();

        assertThat(infer(BODY.replace("[1,2,3]", "[1,2]")).statusCode()).isEqualTo(400);

        SpanData request = spans("infer linear").get(0);
        assertThat(request.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(request.getStatus().getDescription()).contains("of 1 rows must have 3 values in 'data', got 2");
    }

    @Test
    void aRequestThatIsUnavailableSaysWhy() {
        frontEnd = new FrontEnd();
        instances = new LocalInstances(frontEnd, thread);
        instances.serve("1", Limits.DEFAULT, 0);
        List<CompletableFuture<Reply>> replies = frontEnd.predict(
                "linear",
                "",
                "tenant",
                Collections.nCopies(1, new float[3]),
                Duration.ofMinutes(1),
                TraceSpan.OFF,
                Runnable::run);
        TraceSpan span = traces.begin("infer", name -> TRACEPARENT);
        CompletableFuture<List<Reply>> answer =
                Predictions.traced(span, () -> Predictions.answer(replies, span, rows -> rows));

        frontEnd.close();

        assertThat(answer).isCompletedExceptionally();
        StatusData status = spans("infer").get(0).getStatus();
        assertThat(status.getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(status.getDescription()).isEqualTo("1 of 1 rows are unavailable: the front end was closed");
    }

    /** As when its connection is closed. */
    @Test
    void aClientThatLeavesIsNoError() {
        TraceSpan span = traces.begin("infer", name -> TRACEPARENT);
        CompletableFuture<Reply> reply = new CompletableFuture<>();

        Predictions.traced(span, () -> Predictions.answer(List.of(reply), span, rows -> rows))
                .cancel(false);

        assertThat(reply).isCancelled();
        SpanData request = spans("infer").get(0);
        assertThat(request.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attribute(request, "paritas.withdrawn")).isEqualTo("yes");
    }

    @Test
    void nothingIsTracedByDefault() throws Exception {
        assertThat(Traces.of(TraceOptions.OFF)).isSameAs(Traces.OFF);
        traces.close();
        traces = Traces.OFF;
        start();

        infer(BODY, "traceparent", TRACEPARENT);

        assertThat(traces.begin("x", name -> TRACEPARENT)).isSameAs(TraceSpan.OFF);
        assertThat(TraceSpan.OFF.begin("y", 1).traceparent()).isEmpty();
    }

    /** A collector gets protobuf, which has the trace's number as bytes. */
    @Test
    void aCollectorGetsTheSpans() throws Exception {
        try (Collector collector = new Collector()) {
            traces.close();
            traces = Traces.of(new TraceOptions(collector.endpoint() + "/", 1));
            start();
            infer(BODY, "traceparent", TRACEPARENT);
            traces.flush();

            String body = collector.await("infer linear");
            assertThat(body).contains("compute", "queue");
            assertThat(HexFormat.of().formatHex(body.getBytes(StandardCharsets.ISO_8859_1)))
                    .contains(TRACE, PARENT);
        }
    }

    /** By hours, where the machine was suspended. */
    @Test
    void aSpanBeginsByTheClockAsItIsThen() {
        AtomicReference<Instant> clock = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        traces = Traces.to(ON, received, clock::get);
        for (String hour : List.of("00", "05")) {
            clock.set(Instant.parse("2026-01-01T" + hour + ":00:00.123456789Z"));
            TraceSpan span = traces.begin("hour " + hour, name -> null);
            span.end(System.nanoTime());
        }
        assertThat(Instant.ofEpochSecond(0, spans("hour 00").get(0).getStartEpochNanos()))
                .isEqualTo("2026-01-01T00:00:00.123456789Z");
        assertThat(Instant.ofEpochSecond(0, spans("hour 05").get(0).getStartEpochNanos()))
                .isEqualTo("2026-01-01T05:00:00.123456789Z");
    }

    /** As where memory ends. The queries behind it are answered as well, and none of them is waited for. */
    @Test
    void aFaultWithAQueryIsItsReply() {
        frontEnd = new FrontEnd();
        instances = new LocalInstances(frontEnd, thread);
        instances.serve("1", Limits.DEFAULT, 2);
        TraceSpan failing = new TraceSpan(
                Span.getInvalid(),
                name -> {
                    throw new OutOfMemoryError("thrown on purpose");
                },
                0);

        for (int request = 0; request < 10; request++) {
            List<CompletableFuture<Reply>> replies = frontEnd.predict(
                    "linear",
                    "",
                    "tenant",
                    Collections.nCopies(3, new float[3]),
                    Duration.ofMillis(100),
                    failing,
                    Runnable::run);
            assertThat(replies).hasSize(3).allSatisfy(reply -> assertThat(
                            reply.get(30, TimeUnit.SECONDS).reason())
                    .isEqualTo("the front end has a fault, see its log: ask again"));
        }

        assertThat(IntStream.range(0, 60).mapToObj(next -> predicted()))
                .as("instances have room for others, once those that fail are out of the queue")
                .contains(Outcome.PREDICTED);
        assertThat(frontEnd.drain()).succeedsWithin(Duration.ofSeconds(30));
        frontEnd.close();
    }

    private Outcome predicted() {
        return frontEnd.predict("linear", "", "tenant", List.of(new float[3]), Duration.ofMillis(500))
                .get(0)
                .join()
                .outcome();
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> new TraceOptions("collector:4318", 1))
                .hasMessage("traces must go to the address of a collector, such as http://127.0.0.1:4318, got"
                        + " 'collector:4318'");
        assertThatThrownBy(() -> new TraceOptions("", 1.5))
                .hasMessage("the share of requests that are traced must be 0 to 1, got 1.5");
    }
}
