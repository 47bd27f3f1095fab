/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import java.util.List;
import java.util.Map;

/** A client of the generated stubs, for tests of other packages. */
public final class GrpcClient implements AutoCloseable {
    private final ManagedChannel channel;
    private final GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub;

    /** A client that sends these headers with each call. */
    public GrpcClient(String target, Map<String, String> headers) {
        Metadata metadata = new Metadata();
        headers.forEach((name, value) -> metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
        channel = NettyChannelBuilder.forTarget(target).usePlaintext().build();
        stub = GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    /** Asks for the prediction of one row. */
    public List<Float> infer(String model, String input, float[] row) {
        InferTensorContents.Builder contents = InferTensorContents.newBuilder();
        for (float value : row) {
            contents.addFp32Contents(value);
        }
        ModelInferResponse response = stub.modelInfer(ModelInferRequest.newBuilder()
                .setModelName(model)
                .addInputs(ModelInferRequest.InferInputTensor.newBuilder()
                        .setName(input)
                        .setDatatype("FP32")
                        .addShape(1)
                        .addShape(row.length)
                        .setContents(contents))
                .build());
        return response.getOutputs(0).getContents().getFp32ContentsList();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
