/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.handler.ssl.SslProvider;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.paritas.inference.serving.grpc.messages.InferParameter;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferRequestedOutputTensor;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.grpc.messages.ModelMetadataRequest;
import io.paritas.inference.serving.grpc.messages.ModelReadyRequest;
import io.paritas.inference.serving.grpc.messages.ServerLiveRequest;
import io.paritas.inference.serving.grpc.messages.ServerLiveResponse;
import io.paritas.inference.serving.grpc.messages.ServerMetadataRequest;
import io.paritas.inference.serving.grpc.messages.ServerReadyRequest;
import io.paritas.inference.serving.grpc.messages.ServerReadyResponse;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.LocalInstances;
import io.paritas.inference.serving.http.SelfSigned;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients of generated stubs, over sockets. */
class GrpcServerTest {
    private static final Limits PATIENT = Limits.DEFAULT.withDeadline(Duration.ofMinutes(1));

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final FrontEnd frontEnd = new FrontEnd();
    private final LocalInstances instances = new LocalInstances(frontEnd, thread);
    private GrpcServer server;
    private ManagedChannel channel;

    private GRPCInferenceServiceBlockingStub start(HttpOptions options) {
        server = new GrpcServer(frontEnd, options);
        channel = NettyChannelBuilder.forTarget(server.target()).usePlaintext().build();
        return GRPCInferenceServiceGrpc.newBlockingStub(channel);
    }

    private GRPCInferenceServiceBlockingStub start() {
        instances.serve("1", PATIENT, 2);
        return start(HttpOptions.DEFAULT);
    }

    @AfterEach
    void end() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (server != null) {
            server.close();
        }
        frontEnd.close();
        thread.shutdownNow();
    }

    private static ModelInferRequest.Builder request(String datatype, long... shape) {
        InferInputTensor.Builder input =
                InferInputTensor.newBuilder().setName("input").setDatatype(datatype);
        for (long size : shape) {
            input.addShape(size);
        }
        return ModelInferRequest.newBuilder().setModelName("linear").setId("q7").addInputs(input);
    }

    private static ModelInferRequest.Builder raw(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return request("FP32", values.length / 3, 3).addRawInputContents(ByteString.copyFrom(bytes));
    }

    private static float[] expected(float... input) {
        return LocalInstances.MODEL.predict(input);
    }

    private static float[] floats(ByteString bytes) {
        float[] values = new float[bytes.size() / Float.BYTES];
        bytes.asReadOnlyByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    @Test
    void bytesAreAnsweredWithBytes() {
        ModelInferResponse response = start().modelInfer(raw(1, 2, 3, 4, 5, 6)
                .addOutputs(InferRequestedOutputTensor.newBuilder().setName("output"))
                .addOutputs(InferRequestedOutputTensor.newBuilder().setName("paritas_outcome"))
                .build());

        assertThat(response.getModelName()).isEqualTo("linear");
        assertThat(response.getModelVersion()).isEqualTo("1");
        assertThat(response.getId()).isEqualTo("q7");
        assertThat(response.getParametersOrThrow("paritas_outcome").getStringParam())
                .isEqualTo("predicted");
        assertThat(response.getOutputs(0).getDatatype()).isEqualTo("FP32");
        assertThat(response.getOutputs(0).getShapeList()).containsExactly(2L, 2L);
        float[] values = floats(response.getRawOutputContents(0));
        assertThat(values).startsWith(expected(1, 2, 3)).endsWith(expected(4, 5, 6));
        assertThat(response.getOutputs(1).getDatatype()).isEqualTo("BYTES");
        assertThat(response.getRawOutputContents(1).toStringUtf8()).isEqualTo("\t\0\0\0predicted\t\0\0\0predicted");
    }

    @Test
    void classesAreTheLargestValuesWithTheirPlaces() {
        GRPCInferenceServiceBlockingStub client = start();
        float[] values = expected(1, 0, 1);
        String largest = values[0] >= values[1] ? "%f:0".formatted(values[0]) : "%f:1".formatted(values[1]);

        ModelInferResponse bytes =
                client.modelInfer(raw(1, 0, 1).addOutputs(classes(1)).build());
        ModelInferResponse contents = client.modelInfer(
                contents("FP32", InferTensorContents.newBuilder().addAllFp32Contents(List.of(1f, 0f, 1f)))
                        .addOutputs(classes(5))
                        .build());

        assertThat(bytes.getOutputs(0).getDatatype()).isEqualTo("BYTES");
        assertThat(bytes.getOutputs(0).getShapeList()).containsExactly(1L, 1L);
        assertThat(bytes.getRawOutputContents(0).substring(4).toStringUtf8()).isEqualTo(largest);
        assertThat(contents.getOutputs(0).getShapeList())
                .as("there are no more than the model has")
                .containsExactly(1L, 2L);
        assertThat(contents.getOutputs(0).getContents().getBytesContents(0).toStringUtf8())
                .isEqualTo(largest);
        assertFails(
                Status.Code.INVALID_ARGUMENT,
                "the parameter classification must be a number of classes of at least 1, got",
                () -> client.modelInfer(raw(1, 0, 1).addOutputs(classes(0)).build()));
        ModelInferResponse unsigned =
                client.modelInfer(raw(1, 0, 1).addOutputs(unsignedClasses(1)).build());
        assertThat(unsigned.getRawOutputContents(0)).isEqualTo(bytes.getRawOutputContents(0));
        assertFails(
                Status.Code.INVALID_ARGUMENT,
                "must be a number of classes of at least 1, got 18446744073709551615",
                () -> client.modelInfer(
                        raw(1, 0, 1).addOutputs(unsignedClasses(-1)).build()));
    }

    private static InferRequestedOutputTensor.Builder classes(int count) {
        return classes(InferParameter.newBuilder().setInt64Param(count));
    }

    private static InferRequestedOutputTensor.Builder unsignedClasses(long count) {
        return classes(InferParameter.newBuilder().setUint64Param(count));
    }

    private static InferRequestedOutputTensor.Builder classes(InferParameter.Builder count) {
        return InferRequestedOutputTensor.newBuilder().setName("output").putParameters("classification", count.build());
    }

    @Test
    void contentsOfAnyDatatypeAreAnsweredWithContents() {
        GRPCInferenceServiceBlockingStub client = start();
        List<ModelInferRequest.Builder> all = List.of(
                contents("FP32", InferTensorContents.newBuilder().addAllFp32Contents(List.of(1f, 0f, 1f))),
                contents("FP64", InferTensorContents.newBuilder().addAllFp64Contents(List.of(1.0, 0.0, 1.0))),
                contents("BOOL", InferTensorContents.newBuilder().addAllBoolContents(List.of(true, false, true))),
                contents("INT16", InferTensorContents.newBuilder().addAllIntContents(List.of(1, 0, 1))),
                contents("INT64", InferTensorContents.newBuilder().addAllInt64Contents(List.of(1L, 0L, 1L))),
                contents("UINT8", InferTensorContents.newBuilder().addAllUintContents(List.of(1, 0, 1))),
                contents("UINT64", InferTensorContents.newBuilder().addAllUint64Contents(List.of(1L, 0L, 1L))));

        for (ModelInferRequest.Builder request : all) {
            ModelInferResponse response = client.withCompression("gzip").modelInfer(request.build());

            assertThat(response.getRawOutputContentsCount()).isZero();
            float[] expected = expected(1, 0, 1);
            assertThat(response.getOutputs(0).getContents().getFp32ContentsList())
                    .containsExactly(expected[0], expected[1]);
        }
    }

    private static ModelInferRequest.Builder contents(String datatype, InferTensorContents.Builder contents) {
        ModelInferRequest.Builder request = request(datatype, 1, 3);
        request.getInputsBuilder(0).setContents(contents);
        return request;
    }

    @Test
    void serverAndModelsDescribeThemselves() {
        GRPCInferenceServiceBlockingStub client = start();

        assertThat(client.serverLive(ServerLiveRequest.getDefaultInstance()).getLive())
                .isTrue();
        assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady())
                .isTrue();
        assertThat(client.modelReady(
                                ModelReadyRequest.newBuilder().setName("linear").build())
                        .getReady())
                .isTrue();
        assertThat(client.serverMetadata(ServerMetadataRequest.getDefaultInstance())
                        .getName())
                .isEqualTo("paritas");
        var metadata = client.modelMetadata(
                ModelMetadataRequest.newBuilder().setName("linear").build());
        assertThat(metadata.getVersionsList()).containsExactly("1");
        assertThat(metadata.getInputs(0).getName()).isEqualTo("input");
        assertThat(metadata.getInputs(0).getShapeList()).containsExactly(-1L, 3L);
        assertThat(metadata.getOutputs(0).getDatatype()).isEqualTo("FP32");
    }

    record Wrong(String what, ModelInferRequest.Builder request, Status.Code code, String message) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Wrong> wrong() {
        return Stream.of(
                new Wrong(
                        "model",
                        raw(1, 2, 3).setModelName("other"),
                        Status.Code.NOT_FOUND,
                        "there is no model 'other', there are [linear (1)]"),
                new Wrong(
                        "model whose name is longer than a header may be",
                        raw(1, 2, 3).setModelName("x".repeat(10_000)),
                        Status.Code.NOT_FOUND,
                        "there is no model 'xxx"),
                new Wrong(
                        "model whose name is that when it is encoded",
                        raw(1, 2, 3).setModelName("\u20ac".repeat(2_000)),
                        Status.Code.NOT_FOUND,
                        "there is no model '\u20ac\u20ac"),
                new Wrong(
                        "inputs",
                        raw(1, 2, 3).clearInputs(),
                        Status.Code.INVALID_ARGUMENT,
                        "must have the one input 'input', got 0"),
                new Wrong(
                        "shape",
                        request("FP32", 1, 4),
                        Status.Code.INVALID_ARGUMENT,
                        "the input 'input' must have the shape [rows, 3] with at least 1 row, got [1, 4]"),
                new Wrong(
                        "rows that are not there",
                        request("FP32", 1_000, 3),
                        Status.Code.INVALID_ARGUMENT,
                        "must have 3000 values in raw_input_contents or in fp32_contents of its contents, got 0"),
                new Wrong(
                        "rows that are more than may wait",
                        request("BOOL", 16_777_216, 3).addRawInputContents(ByteString.copyFrom(new byte[12])),
                        Status.Code.INVALID_ARGUMENT,
                        "the queries that are asked of the model linear, version 1 at once must be at most 1000, as many"
                                + " as may wait for an instance, got 16777216: ask for fewer at once"),
                new Wrong(
                        "datatype",
                        request("BYTES", 1, 3),
                        Status.Code.INVALID_ARGUMENT,
                        "must have a datatype of BOOL, UINT8, "),
                new Wrong(
                        "length",
                        request("FP64", 1, 3).addRawInputContents(ByteString.copyFrom(new byte[12])),
                        Status.Code.INVALID_ARGUMENT,
                        "the input 'input' of 1 rows must have 24 bytes in raw_input_contents, got 12"),
                new Wrong(
                        "half",
                        request("FP16", 1, 3),
                        Status.Code.INVALID_ARGUMENT,
                        "values of the datatype FP16 must be in raw_input_contents"),
                new Wrong(
                        "value",
                        contents("INT32", InferTensorContents.newBuilder().addAllIntContents(List.of(1, 2, 16777217))),
                        Status.Code.INVALID_ARGUMENT,
                        "has them exactly too, got 16777217: round them, and send FP32"),
                new Wrong(
                        "output twice",
                        raw(1, 2, 3)
                                .addOutputs(
                                        InferRequestedOutputTensor.newBuilder().setName("output"))
                                .addOutputs(
                                        InferRequestedOutputTensor.newBuilder().setName("output")),
                        Status.Code.INVALID_ARGUMENT,
                        "an output must be named once, got 'output' again"),
                new Wrong(
                        "shared memory",
                        raw(1, 2, 3)
                                .addOutputs(InferRequestedOutputTensor.newBuilder()
                                        .setName("output")
                                        .putParameters("shared_memory_region", InferParameter.getDefaultInstance())),
                        Status.Code.INVALID_ARGUMENT,
                        "this server shares no memory with clients: leave out the parameter shared_memory_region"),
                new Wrong(
                        "timeout",
                        raw(1, 2, 3)
                                .putParameters(
                                        "timeout",
                                        InferParameter.newBuilder()
                                                .setStringParam("1")
                                                .build()),
                        Status.Code.INVALID_ARGUMENT,
                        "the parameter timeout must be 1 to 3600000000 whole microseconds, got STRING_PARAM"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void wrongRequestsAreToldWhatIsWrong(Wrong wrong) {
        GRPCInferenceServiceBlockingStub client = start();

        assertThatThrownBy(() -> client.modelInfer(wrong.request.build()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(wrong.code))
                .hasMessageContaining(wrong.message);
    }

    private static void assertFails(Status.Code code, String message, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void tooMuchIsRefused() {
        instances.serve("1", PATIENT.withWaiting(2), 1);
        GRPCInferenceServiceBlockingStub client =
                start(HttpOptions.DEFAULT.withBodyBytes(1_000).withReplyBytes(8));

        assertFails(
                Status.Code.RESOURCE_EXHAUSTED,
                "1000",
                () -> client.modelInfer(raw(new float[300]).build()));
        // What it is inflated to counts, not what was sent.
        assertFails(
                Status.Code.RESOURCE_EXHAUSTED,
                "Decompressed gRPC message exceeds maximum size 1000",
                () -> client.withCompression("gzip")
                        .modelInfer(raw(new float[300]).build()));
        assertFails(
                Status.Code.INVALID_ARGUMENT,
                "the outputs of a reply must have at most 8 bytes, got 2 rows of up to 8",
                () -> client.modelInfer(raw(new float[6]).build()));
    }

    @Test
    void withoutTheTokenThereAreOnlyProbes() {
        instances.serve("1", PATIENT, 1);
        GRPCInferenceServiceBlockingStub client = start(HttpOptions.DEFAULT.withToken("s3cret"));

        assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady())
                .isTrue();
        assertFails(
                Status.Code.UNAUTHENTICATED,
                "requests must have the header Authorization: Bearer TOKEN",
                () -> client.modelInfer(raw(1, 2, 3).build()));
        var admitted = client.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token()));
        assertThat(floats(admitted.modelInfer(raw(1, 2, 3).build()).getRawOutputContents(0)))
                .isEqualTo(expected(1, 2, 3));
    }

    static Stream<MethodDescriptor<?, ?>> probes() {
        return Stream.of(
                GRPCInferenceServiceGrpc.getServerLiveMethod(), GRPCInferenceServiceGrpc.getServerReadyMethod());
    }

    /** A message that never ends would be kept, for everybody. */
    @ParameterizedTest
    @MethodSource("probes")
    void probesAreAnsweredBeforeTheirMessageIsRead(MethodDescriptor<?, ?> probe) throws Exception {
        instances.serve("1", PATIENT, 1);
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        CompletableFuture<Status> end = new CompletableFuture<>();
        Queue<Object> answers = new ConcurrentLinkedQueue<>();
        ClientCall<?, ?> call = channel.newCall(
                probe.toBuilder().setType(MethodType.BIDI_STREAMING).build(), // sends its head at once
                CallOptions.DEFAULT);

        start(call, answers, end);

        assertThat(end.get(20, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.OK);
        assertThat(answers)
                .singleElement()
                .isIn(
                        ServerLiveResponse.newBuilder().setLive(true).build(),
                        ServerReadyResponse.newBuilder().setReady(true).build());
    }

    private static <R> void start(ClientCall<?, R> call, Queue<Object> answers, CompletableFuture<Status> end) {
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(R message) {
                        answers.add(message);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());
        call.request(2);
    }

    /** Those that are reset at once are never among the calls that a connection has (CVE-2023-44487). */
    @Test
    void aConnectionThatResetsCallsWithoutEndIsClosed() throws Exception {
        start();
        String target = server.target();
        try (Socket socket = new Socket(
                target.substring(0, target.lastIndexOf(':')),
                Integer.parseInt(target.substring(target.lastIndexOf(':') + 1)))) {
            OutputStream out = socket.getOutputStream();
            out.write(RawCall.begin());
            byte[] head = RawCall.head("ModelInfer");

            assertThatThrownBy(() -> {
                        for (int call = 1; call < 2_000_000; call += 2) {
                            out.write(RawCall.frame(1, 4, call, head));
                            out.write(RawCall.frame(3, 0, call, new byte[] {0, 0, 0, 8})); // cancelled
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theDeadlineOfACallWithdrawsItsQueries() {
        GRPCInferenceServiceBlockingStub client = start();
        freezeAll();

        assertFails(Status.Code.DEADLINE_EXCEEDED, "", () -> client.withDeadlineAfter(100, TimeUnit.MILLISECONDS)
                .modelInfer(raw(1, 2, 3).build()));

        assertWithdrawn();
    }

    @Test
    void aCallThatIsCancelledWithdrawsItsQueries() {
        start();
        freezeAll();
        ListenableFuture<ModelInferResponse> call = GRPCInferenceServiceGrpc.newFutureStub(channel)
                .modelInfer(raw(1, 2, 3).build());
        while (unanswered() == 0) {
            Thread.onSpinWait();
        }

        call.cancel(true);

        assertWithdrawn();
    }

    private void freezeAll() {
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        instances.freeze(Role.parity(0), 0);
    }

    private int unanswered() {
        return frontEnd.status("linear", "").backlog().unanswered();
    }

    private void assertWithdrawn() {
        while (unanswered() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatAFrozenInstanceHasIsReconstructed() {
        GRPCInferenceServiceBlockingStub client = start();
        instances.freeze(Role.DEPLOYED, 0);

        ModelInferResponse response = client.modelInfer(raw(1, 2, 3, 4, 5, 6).build());

        assertThat(response.getParametersOrThrow("paritas_outcome").getStringParam())
                .isEqualTo("reconstructed");
        assertThat(floats(response.getRawOutputContents(0)))
                .startsWith(expected(1, 2, 3))
                .endsWith(expected(4, 5, 6));
    }

    @Test
    void clientsThatTrustTheCertificateAreAnsweredAndOthersAreNot(@TempDir Path folder) throws Exception {
        SelfSigned identity = SelfSigned.make(folder);
        GRPCInferenceServiceBlockingStub plain =
                start(HttpOptions.DEFAULT.withTls(new HttpOptions.Tls(identity.certificate(), identity.key())));
        ManagedChannel trusting = NettyChannelBuilder.forTarget(server.target())
                .sslContext(GrpcSslContexts.configure(GrpcSslContexts.forClient(), SslProvider.JDK)
                        .trustManager(identity.trust())
                        .build())
                .build();
        try {
            assertThat(GRPCInferenceServiceGrpc.newBlockingStub(trusting)
                            .serverLive(ServerLiveRequest.getDefaultInstance())
                            .getLive())
                    .isTrue();
            assertFails(Status.Code.UNAVAILABLE, "", () -> plain.serverLive(ServerLiveRequest.getDefaultInstance()));
        } finally {
            trusting.shutdownNow();
        }
    }

    private Socket connect() throws IOException {
        String[] address = server.target().split(":", 2);
        return new Socket(address[0], Integer.parseInt(address[1]));
    }

    /** The next byte, at first of the server's settings; -1 if it has closed the connection. */
    private static int read(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        return socket.getInputStream().read();
    }

    private ListenableFuture<ModelInferResponse> ask(int unanswered) {
        ListenableFuture<ModelInferResponse> call = GRPCInferenceServiceGrpc.newFutureStub(channel)
                .modelInfer(raw(1, 2, 3).build());
        while (unanswered() != unanswered) {
            Thread.onSpinWait();
        }
        return call;
    }

    @Test
    void moreConnectionsWithCallsThanThereMayBeAreClosed() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withConnections(1));
        freezeAll();
        ListenableFuture<ModelInferResponse> first = ask(1);
        ListenableFuture<ModelInferResponse> second = ask(2);
        first.cancel(true);
        while (unanswered() > 1) {
            Thread.onSpinWait();
        }

        try (Socket another = connect()) {
            assertThat(read(another)).isEqualTo(-1);
        }
        assertThat(second).isNotDone();

        second.cancel(true);
        assertWithdrawn();
        try (Socket another = connect()) {
            assertThat(read(another)).isGreaterThanOrEqualTo(0);
        }
    }

    /** They need no token, and must not keep others out. */
    @Test
    void connectionsWithoutCallsMakeRoom() throws Exception {
        instances.serve("1", PATIENT, 1);
        GRPCInferenceServiceBlockingStub client =
                start(HttpOptions.DEFAULT.withToken("s3cret").withConnections(1));

        try (Socket idle = connect()) {
            assertThat(read(idle)).isGreaterThanOrEqualTo(0);
            assertThat(client.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token()))
                            .serverMetadata(ServerMetadataRequest.getDefaultInstance())
                            .getName())
                    .isEqualTo("paritas");
            assertThat(idle.getInputStream().readAllBytes()).hasSizeLessThan(100);
        }
    }

    private static Metadata token() {
        Metadata header = new Metadata();
        header.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer s3cret");
        return header;
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        start();
        int port = Integer.parseInt(server.target().replaceFirst(".*:", ""));

        assertThatIllegalStateException()
                .isThrownBy(() -> new GrpcServer(frontEnd, HttpOptions.DEFAULT.withPort(port)))
                .withMessageStartingWith("cannot listen on 127.0.0.1:" + port + ": ")
                .withMessageEndingWith(": choose another port, or end the process that has it");
    }

    /** The network of the address is for documentation only: RFC 5737. */
    @Test
    void anAddressOfAnotherMachineIsNamed() {
        HttpOptions elsewhere =
                new HttpOptions("203.0.113.1", 8001, "s3cret", Optional.empty(), HttpOptions.Bounds.DEFAULT);
        assertThatIllegalStateException()
                .isThrownBy(() -> new GrpcServer(frontEnd, elsewhere))
                .withMessageStartingWith("cannot listen on 203.0.113.1:8001: ")
                .withMessageEndingWith(": choose an address of this machine");
    }
}
