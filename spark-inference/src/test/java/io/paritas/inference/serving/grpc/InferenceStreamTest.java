/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.paritas.inference.Outcome;
import io.paritas.inference.serving.Meter;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelStreamInferResponse;
import io.paritas.inference.serving.http.LocalInstances;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Streams of generated stubs, over sockets. */
class InferenceStreamTest extends ServedLinear {
    private static final int MANY = 5 * InferenceStream.AT_ONCE;

    private static ModelInferRequest request(int id) {
        return ModelInferRequest.newBuilder()
                .setModelName("linear")
                .setId(String.valueOf(id))
                .addInputs(InferInputTensor.newBuilder()
                        .setName("input")
                        .setDatatype("INT32")
                        .addAllShape(List.of(1L, 3L))
                        .setContents(InferTensorContents.newBuilder().addAllIntContents(List.of(id, 1, 2))))
                .build();
    }

    /** Keeps the responses by their ids, and reads the first when it is told to. */
    private static final class Responses
            implements ClientResponseObserver<ModelInferRequest, ModelStreamInferResponse> {
        final Map<String, ModelStreamInferResponse> all = new ConcurrentHashMap<>();
        final CompletableFuture<Void> end = new CompletableFuture<>();
        private ClientCallStreamObserver<ModelInferRequest> call;

        @Override
        public void beforeStart(ClientCallStreamObserver<ModelInferRequest> observer) {
            call = observer;
            observer.disableAutoRequestWithInitial(0);
        }

        void read() {
            call.request(Integer.MAX_VALUE);
        }

        @Override
        public void onNext(ModelStreamInferResponse response) {
            assertThat(all.put(response.getInferResponse().getId(), response)).isNull();
        }

        @Override
        public void onError(Throwable failure) {
            end.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            end.complete(null);
        }
    }

    private long answered() {
        Meter meter = frontEnd.status("linear", "").meter();
        return Arrays.stream(Outcome.values())
                .mapToLong(outcome -> meter.latencies(outcome).count())
                .sum();
    }

    @Test
    void eachRequestIsAnsweredOnceAndThoseThatFailToo() throws Exception {
        Responses responses = new Responses();
        StreamObserver<ModelInferRequest> requests =
                GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(responses);
        responses.read();

        for (int id = 0; id < MANY; id++) {
            requests.onNext(request(id));
        }
        requests.onNext(request(MANY).toBuilder().setModelName("other").build());
        requests.onCompleted();

        responses.end.get(1, TimeUnit.MINUTES);
        assertThat(responses.all).hasSize(MANY + 1);
        for (int id = 0; id < MANY; id++) {
            float[] expected = LocalInstances.MODEL.predict(new float[] {id, 1, 2});
            ModelStreamInferResponse response = responses.all.get(String.valueOf(id));
            assertThat(response.getErrorMessage()).isEmpty();
            assertThat(response.getInferResponse().getOutputs(0).getContents().getFp32ContentsList())
                    .containsExactly(expected[0], expected[1]);
        }
        ModelStreamInferResponse failed = responses.all.get(String.valueOf(MANY));
        assertThat(failed.getErrorMessage()).isEqualTo("there is no model 'other', there are [linear (1)]");
        assertThat(failed.getInferResponse().getModelName()).isEqualTo("other");
    }

    /** Each answer has its request's id, so that all of them are more than is sent to a client that does not read. */
    @Test
    void aServerThatEndsWaitsUntilItsAnswersAreSent() throws Exception {
        channel.shutdownNow();
        channel = NettyChannelBuilder.forTarget(server.target())
                .usePlaintext()
                .flowControlWindow(1 << 16)
                .build();
        Responses responses = new Responses();
        StreamObserver<ModelInferRequest> requests =
                GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(responses);
        for (int id = 0; id < InferenceStream.AT_ONCE; id++) {
            requests.onNext(request(id).toBuilder().setId(id + " ".repeat(8192)).build());
        }
        while (answered() < InferenceStream.AT_ONCE) {
            Thread.onSpinWait();
        }

        server.drain();
        frontEnd.drain().get(1, TimeUnit.MINUTES);
        assertThat(server.awaitReplies(Duration.ofMillis(100))).isFalse();
        responses.read();
        assertThat(server.awaitReplies(Duration.ofMinutes(1))).isTrue();

        assertThat(responses.end)
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withMessageContaining("UNAVAILABLE: the server ends: ask another one");
        assertThat(responses.all).hasSize(InferenceStream.AT_ONCE);
    }

    @Test
    void noMoreRequestsAreWorkedOnThanAllowed() throws Exception {
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        instances.freeze(Role.parity(0), 0);
        Responses responses = new Responses();
        StreamObserver<ModelInferRequest> requests =
                GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(responses);

        IntStream.range(0, MANY).forEach(id -> requests.onNext(request(id)));

        while (unanswered() < InferenceStream.AT_ONCE) {
            Thread.onSpinWait();
        }
        // A second stream's request is read after all that the first one's connection has brought by now.
        var probe = GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(new Responses());
        probe.onNext(request(0));
        while (unanswered() < InferenceStream.AT_ONCE + 1) {
            Thread.onSpinWait();
        }
        assertThat(unanswered()).isEqualTo(InferenceStream.AT_ONCE + 1);
        responses.call.cancel("enough", null);
        while (unanswered() > 1) {
            Thread.onSpinWait();
        }
        assertThat(answered()).isZero();
    }

    /** A client that gives the next message to the thread which asks for it, as gRPC does on the thread of the connection. */
    private static final class Prompt extends ServerCallStreamObserver<ModelStreamInferResponse> {
        private final List<ModelStreamInferResponse> responses = new CopyOnWriteArrayList<>();
        private final Semaphore requested = new Semaphore(0);
        private InferenceStream stream;

        @Override
        public void request(int count) {
            assertThat(Thread.holdsLock(stream)).as("the lock is held").isFalse();
            requested.release(count);
        }

        @Override
        public void onNext(ModelStreamInferResponse response) {
            responses.add(response);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setOnCloseHandler(Runnable handler) {}

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void disableAutoRequest() {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }

    /** Two streams would wait for each other: what a thread is given in one of them may answer requests of the other. */
    @Test
    void requestsAreReadWithoutTheLockOfTheStream() throws Exception {
        Prompt client = new Prompt();
        client.stream = new InferenceStream(new Inference(frontEnd, 1 << 20), client, ended -> {});

        client.stream.onNext(request(1));

        assertThat(client.requested.tryAcquire(InferenceStream.AT_ONCE + 1, 1, TimeUnit.MINUTES))
                .isTrue();
        assertThat(client.responses).hasSize(1);
    }

    private int unanswered() {
        return frontEnd.status("linear", "").backlog().unanswered();
    }
}
