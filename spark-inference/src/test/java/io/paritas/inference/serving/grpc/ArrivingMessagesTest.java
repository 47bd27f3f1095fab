/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.paritas.inference.Logged;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelStreamInferResponse;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.protocol.BodyMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of many calls at once, of which each alone may come. */
class ArrivingMessagesTest extends ServedLinear {
    private static final int ROWS = 1_000;
    /* With something around the values. */
    private static final int LENGTH = ROWS * 3 * Float.BYTES + 100;
    private static final String REFUSED =
            "UNAVAILABLE: the bodies of all requests that are on their way must have at most " + LENGTH
                    + " bytes together, this one would make them more: ask again later";

    private final BodyMemory memory = new BodyMemory(LENGTH);
    private final BodyMemory.Part others = memory.part();

    @Override
    GrpcServer server() {
        return new GrpcServer(frontEnd, HttpOptions.DEFAULT, memory);
    }

    private static ModelInferRequest request() {
        return ModelInferRequest.newBuilder()
                .setModelName("linear")
                .addInputs(InferInputTensor.newBuilder()
                        .setName("input")
                        .setDatatype("FP32")
                        .addShape(ROWS)
                        .addShape(3))
                .addRawInputContents(ByteString.copyFrom(new byte[ROWS * 3 * Float.BYTES]))
                .build();
    }

    @Test
    void aMessageWithoutRoomEndsItsCall() {
        assertThat(others.take(LENGTH / 2)).isTrue();

        assertThatThrownBy(
                        () -> GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request()))
                .hasMessage(REFUSED);
    }

    @Test
    void aMessageWithoutRoomEndsItsStream() {
        assertThat(others.take(LENGTH / 2)).isTrue();
        CompletableFuture<Void> end = new CompletableFuture<>();

        StreamObserver<ModelInferRequest> stream = GRPCInferenceServiceGrpc.newStub(channel)
                .modelStreamInfer(new StreamObserver<>() {
                    @Override
                    public void onNext(ModelStreamInferResponse response) {
                        end.completeExceptionally(new AssertionError("answered with " + response));
                    }

                    @Override
                    public void onError(Throwable failure) {
                        end.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(null);
                    }
                });
        stream.onNext(request());

        assertThatThrownBy(end::join).cause().hasMessage(REFUSED);
    }

    /** It would keep its memory as long as the connection lives, which costs its client nothing. */
    @Test
    void aMessageThatDoesNotEndEndsItsCall() throws Exception {
        server.close();
        HttpOptions.Bounds bounds = HttpOptions.DEFAULT.bounds();
        server = new GrpcServer(
                frontEnd,
                HttpOptions.DEFAULT.withBounds(new HttpOptions.Bounds(
                        bounds.bodyBytes(),
                        bounds.replyBytes(),
                        bounds.connections(),
                        Duration.ofMillis(300),
                        bounds.idle())),
                memory);
        try (RawCall call = new RawCall(server, "ModelInfer")) {
            call.data(RawCall.message(600, new byte[500]));

            assertThat(call.until("first byte"))
                    .contains("a message must come as a whole within 300 ms of its first byte");
            while (!others.take(LENGTH)) { // when the call has ended
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    /** gRPC would call the second end an error of this program. */
    @Test
    void aCallThatHasEndedDoesNotEndAgainForWantOfRoom() throws Exception {
        assertThat(others.take(LENGTH - 100)).isTrue();
        try (Logged log = new Logged("io.paritas.inference.serving.requests");
                RawCall call = new RawCall(server, "ModelStreamInfer")) {
            byte[] illegible = RawCall.message(3, new byte[] {-1, -1, -1});
            byte[] another = RawCall.message(600, new byte[600]);

            call.data(ByteBuffer.allocate(illegible.length + another.length)
                    .put(illegible)
                    .put(another)
                    .array());

            assertThat(call.until("as protobuf writes it")).contains("a message must be one of the");
            while (!others.take(100)) { // when the call has ended
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(log.lines()).singleElement().asString().contains("INVALID_ARGUMENT");
        }
    }

    /** The longest that there is room for, again and again, as it is and compressed. */
    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void whatWasTakenIsGivenBackWithEachMessage(String encoding) {
        assertThat(others.take(10)).isTrue();

        for (int i = 0; i < 20; i++) {
            assertThat(GRPCInferenceServiceGrpc.newBlockingStub(channel)
                            .withCompression(encoding)
                            .modelInfer(request())
                            .getOutputs(0)
                            .getShape(0))
                    .isEqualTo(ROWS);
        }
        assertThat(others.take(LENGTH - 10)).isTrue();
    }
}
