/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.grpc.messages.InferParameter;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse.InferOutputTensor;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Predictions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes replies. */
final class InferReply {
    private InferReply() {}

    /** The most bytes that a row takes in these outputs. */
    static long bytesPerRow(ServedModel model, List<String> outputs) {
        return outputs.stream()
                .mapToLong(output -> output.equals(OutputTensor.ORIGIN)
                        ? OutputTensor.LABEL_BYTES
                        : (long) model.output().size() * Float.BYTES)
                .sum();
    }

    /** The reply with the values of all rows. */
    static ModelInferResponse of(ServedModel model, InferRequest request, List<Reply> replies) {
        ModelInferResponse.Builder response = ModelInferResponse.newBuilder()
                .setModelName(model.name())
                .setModelVersion(model.version())
                .setId(request.id())
                .putParameters(
                        OutputTensor.ORIGIN,
                        InferParameter.newBuilder()
                                .setStringParam(Predictions.weakest(replies).label())
                                .build());
        for (String name : request.outputs()) {
            boolean origin = name.equals(OutputTensor.ORIGIN);
            InferOutputTensor.Builder output = InferOutputTensor.newBuilder()
                    .setName(name)
                    .setDatatype(origin ? "BYTES" : "FP32")
                    .addShape(replies.size());
            if (!origin) {
                model.output().shape().forEach(output::addShape);
            }
            if (request.raw()) {
                response.addRawOutputContents(origin ? outcomes(replies) : values(model, replies));
            } else {
                output.setContents(contents(replies, origin));
            }
            response.addOutputs(output);
        }
        return response.build();
    }

    private static InferTensorContents contents(List<Reply> replies, boolean origin) {
        InferTensorContents.Builder contents = InferTensorContents.newBuilder();
        for (Reply reply : replies) {
            if (origin) {
                contents.addBytesContents(
                        ByteString.copyFromUtf8(reply.outcome().label()));
            } else {
                for (float value : reply.values()) {
                    contents.addFp32Contents(value);
                }
            }
        }
        return contents.build();
    }

    private static ByteString values(ServedModel model, List<Reply> replies) {
        byte[] bytes =
                new byte[Math.multiplyExact(replies.size(), model.output().size() * Float.BYTES)];
        var values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        replies.forEach(reply -> values.put(reply.values()));
        return UnsafeByteOperations.unsafeWrap(bytes); // which nobody else has
    }

    /* Each behind its length, as the protocol has strings. */
    private static ByteString outcomes(List<Reply> replies) {
        ByteBuffer bytes =
                ByteBuffer.allocate(replies.size() * OutputTensor.LABEL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (Reply reply : replies) {
            byte[] label = reply.outcome().label().getBytes(StandardCharsets.US_ASCII);
            bytes.putInt(label.length).put(label);
        }
        return ByteString.copyFrom(bytes.flip());
    }
}
