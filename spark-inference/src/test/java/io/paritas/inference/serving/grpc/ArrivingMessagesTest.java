/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelStreamInferResponse;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.LocalInstances;
import io.paritas.inference.serving.protocol.BodyMemory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of many calls at once, of which each alone may come. */
class ArrivingMessagesTest {
    private static final int ROWS = 1_000;
    /* With something around the values. */
    private static final int LENGTH = ROWS * 3 * Float.BYTES + 100;
    private static final String REFUSED =
            "RESOURCE_EXHAUSTED: the bodies of all requests that are on their way must have at most " + LENGTH
                    + " bytes together, this one would make them more: ask again later";

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final FrontEnd frontEnd = new FrontEnd();
    private final BodyMemory memory = new BodyMemory(LENGTH);
    private final BodyMemory.Part others = memory.part();
    private GrpcServer server;
    private ManagedChannel channel;

    @BeforeEach
    void start() {
        new LocalInstances(frontEnd, thread).serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);
        server = new GrpcServer(frontEnd, HttpOptions.DEFAULT, memory);
        channel = NettyChannelBuilder.forTarget(server.target()).usePlaintext().build();
    }

    @AfterEach
    void end() {
        channel.shutdownNow();
        server.close();
        frontEnd.close();
        thread.shutdownNow();
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
