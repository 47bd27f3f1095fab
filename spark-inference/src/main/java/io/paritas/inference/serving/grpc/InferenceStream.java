/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.grpc.messages.ModelStreamInferResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The requests of a stream. Each is answered when its predictions are there, whatever their order; its id says which it is. A request
 * that fails is answered with a message, and the stream goes on. No more requests are read than are answered, and none while the client
 * does not read the answers. Thread-safe.
 */
final class InferenceStream implements StreamObserver<ModelInferRequest> {
    /** The most requests that are worked on. */
    static final int AT_ONCE = 64;

    private final Inference inference;
    private final ServerCallStreamObserver<ModelStreamInferResponse> client;
    private final Consumer<InferenceStream> onEnd;
    private final Set<CompletableFuture<ModelInferResponse>> pending = new HashSet<>();
    private int unread = AT_ONCE;

    /** How the stream ends when the pending requests are answered; null while more may come. */
    private Status end;

    /** @param onEnd called at least once when the stream has ended */
    InferenceStream(
            Inference inference,
            ServerCallStreamObserver<ModelStreamInferResponse> client,
            Consumer<InferenceStream> onEnd) {
        this.inference = inference;
        this.client = client;
        this.onEnd = onEnd;
        client.disableAutoRequest();
        client.setOnReadyHandler(this::read);
        client.setOnCancelHandler(this::cancel);
        client.setOnCloseHandler(this::cancel); // by a message that cannot be read
    }

    private void read() {
        int more;
        synchronized (this) {
            more = client.isReady() ? unread : 0;
            unread -= more;
        }
        if (more > 0) {
            client.request(more); // may call onNext at once, which may answer other streams: with no lock
        }
    }

    @Override
    public void onNext(ModelInferRequest request) {
        CompletableFuture<ModelInferResponse> answer = inference.ask(request);
        synchronized (this) {
            pending.add(answer);
        }
        var unused = answer.whenComplete((response, failure) -> answer(request, answer, failure));
    }

    private void answer(ModelInferRequest request, CompletableFuture<ModelInferResponse> answer, Throwable failure) {
        send(request, answer, failure);
        read();
    }

    private synchronized void send(
            ModelInferRequest request, CompletableFuture<ModelInferResponse> answer, Throwable failure) {
        pending.remove(answer);
        if (client.isCancelled() || answer.isCancelled()) {
            return;
        }
        ModelStreamInferResponse.Builder response = ModelStreamInferResponse.newBuilder();
        if (failure == null) {
            response.setInferResponse(answer.join());
        } else {
            response.setErrorMessage(Errors.of(failure).getDescription())
                    .setInferResponse(ModelInferResponse.newBuilder()
                            .setModelName(request.getModelName())
                            .setModelVersion(request.getModelVersion())
                            .setId(request.getId()));
        }
        client.onNext(response.build());
        unread++;
        endIfAnswered();
    }

    @Override
    public synchronized void onCompleted() {
        end(Status.OK);
    }

    /** Ends the stream when what was asked is answered, because the server ends. */
    synchronized void endAnswered() {
        end(Status.UNAVAILABLE.withDescription("the server ends: ask another one"));
    }

    private void end(Status how) {
        if (end == null) {
            end = how;
            endIfAnswered();
        }
    }

    private void endIfAnswered() {
        if (end == null || !pending.isEmpty()) {
            return;
        }
        onEnd.accept(this);
        if (end.isOk()) {
            client.onCompleted();
        } else {
            client.onError(end.asException());
        }
    }

    @Override
    public void onError(Throwable failure) {
        cancel(); // the client has left
    }

    private void cancel() {
        onEnd.accept(this);
        List<CompletableFuture<ModelInferResponse>> left;
        synchronized (this) {
            left = List.copyOf(pending);
        }
        left.forEach(answer -> answer.cancel(false));
    }
}
