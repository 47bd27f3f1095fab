/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.grpc.messages.ModelMetadataRequest;
import io.paritas.inference.serving.grpc.messages.ModelMetadataResponse;
import io.paritas.inference.serving.grpc.messages.ModelReadyRequest;
import io.paritas.inference.serving.grpc.messages.ModelReadyResponse;
import io.paritas.inference.serving.grpc.messages.ModelStreamInferResponse;
import io.paritas.inference.serving.grpc.messages.ServerLiveRequest;
import io.paritas.inference.serving.grpc.messages.ServerLiveResponse;
import io.paritas.inference.serving.grpc.messages.ServerMetadataRequest;
import io.paritas.inference.serving.grpc.messages.ServerMetadataResponse;
import io.paritas.inference.serving.grpc.messages.ServerReadyRequest;
import io.paritas.inference.serving.grpc.messages.ServerReadyResponse;
import io.paritas.inference.serving.protocol.Identity;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The calls of the protocol. Thread-safe; never blocks. */
final class InferenceService extends GRPCInferenceServiceImplBase {
    private final FrontEnd frontEnd;
    private final Inference inference;
    private final Set<InferenceStream> streams = ConcurrentHashMap.newKeySet();

    /** A service whose replies with predictions have at most this many bytes. */
    InferenceService(FrontEnd frontEnd, int replyBytes) {
        this.frontEnd = frontEnd;
        this.inference = new Inference(frontEnd, replyBytes);
    }

    @Override
    public void serverLive(ServerLiveRequest request, StreamObserver<ServerLiveResponse> client) {
        answer(client, () -> ServerLiveResponse.newBuilder().setLive(true).build());
    }

    @Override
    public void serverReady(ServerReadyRequest request, StreamObserver<ServerReadyResponse> client) {
        answer(client, () -> ServerReadyResponse.newBuilder()
                .setReady(frontEnd.isReady())
                .build());
    }

    @Override
    public void modelReady(ModelReadyRequest request, StreamObserver<ModelReadyResponse> client) {
        answer(client, () -> ModelReadyResponse.newBuilder()
                .setReady(
                        frontEnd.status(request.getName(), request.getVersion()).isReady())
                .build());
    }

    @Override
    public void serverMetadata(ServerMetadataRequest request, StreamObserver<ServerMetadataResponse> client) {
        answer(client, () -> ServerMetadataResponse.newBuilder()
                .setName(Identity.NAME)
                .setVersion(Identity.version())
                .build());
    }

    @Override
    public void modelMetadata(ModelMetadataRequest request, StreamObserver<ModelMetadataResponse> client) {
        answer(client, () -> {
            ServedModel model = frontEnd.model(request.getName(), request.getVersion());
            ModelMetadataResponse.Builder metadata = ModelMetadataResponse.newBuilder()
                    .setName(model.name())
                    .setPlatform(Identity.NAME)
                    .addInputs(tensor(model.input()))
                    .addOutputs(tensor(model.output()));
            frontEnd.versions(model.name()).forEach(metadata::addVersions);
            return metadata.build();
        });
    }

    private static ModelMetadataResponse.TensorMetadata tensor(TensorSpec spec) {
        ModelMetadataResponse.TensorMetadata.Builder tensor = ModelMetadataResponse.TensorMetadata.newBuilder()
                .setName(spec.name())
                .setDatatype("FP32")
                .addShape(-1);
        spec.shape().forEach(tensor::addShape);
        return tensor.build();
    }

    @Override
    public void modelInfer(ModelInferRequest request, StreamObserver<ModelInferResponse> client) {
        CompletableFuture<ModelInferResponse> answer = inference.ask(request);
        ((ServerCallStreamObserver<ModelInferResponse>) client).setOnCancelHandler(() -> answer.cancel(false));
        var unused = answer.whenComplete((response, failure) -> {
            if (answer.isCancelled()) {
                return; // nobody listens
            }
            if (failure == null) {
                client.onNext(response);
                client.onCompleted();
            } else {
                client.onError(Errors.of(failure).asException());
            }
        });
    }

    @Override
    public StreamObserver<ModelInferRequest> modelStreamInfer(StreamObserver<ModelStreamInferResponse> client) {
        InferenceStream stream = new InferenceStream(
                inference, (ServerCallStreamObserver<ModelStreamInferResponse>) client, streams::remove);
        streams.add(stream);
        return stream;
    }

    /** Ends each stream when its requests are answered. */
    void endStreams() {
        streams.forEach(InferenceStream::endAnswered);
    }

    private static <T> void answer(StreamObserver<T> client, Supplier<T> response) {
        T message;
        try {
            message = response.get();
        } catch (RuntimeException e) {
            client.onError(Errors.of(e).asException());
            return;
        }
        client.onNext(message);
        client.onCompleted();
    }
}
