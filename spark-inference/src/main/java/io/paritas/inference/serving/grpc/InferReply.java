/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.grpc.messages.InferParameter;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse.InferOutputTensor;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Predictions;
import io.paritas.inference.serving.protocol.WantedOutput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes replies. */
final class InferReply {
    private InferReply() {}

    /** The most bytes that a row takes in these outputs. */
    static long bytesPerRow(ServedModel model, List<WantedOutput> outputs) {
        return outputs.stream()
                .mapToLong(output -> output.bytesPerRow(model, Float.BYTES))
                .sum();
    }

    /** The reply with the values of all rows. */
    static ModelInferResponse of(ServedModel model, InferRequest request, List<Reply> replies) {
        ModelInferResponse.Builder response = ModelInferResponse.newBuilder()
                .setModelName(model.name())
                .setModelVersion(model.version())
                .setId(request.id())
                .putParameters(
                        OutputTensor.OUTCOME,
                        InferParameter.newBuilder()
                                .setStringParam(Predictions.weakest(replies).label())
                                .build());
        for (WantedOutput wanted : request.outputs()) {
            InferOutputTensor.Builder output = InferOutputTensor.newBuilder()
                    .setName(wanted.name())
                    .setDatatype(wanted.isText() ? "BYTES" : "FP32")
                    .addShape(replies.size());
            wanted.shape(model).forEach(output::addShape);
            if (request.raw()) {
                response.addRawOutputContents(wanted.isText() ? texts(wanted, replies) : values(model, replies));
            } else {
                output.setContents(contents(wanted, replies));
            }
            response.addOutputs(output);
        }
        return response.build();
    }

    private static InferTensorContents contents(WantedOutput wanted, List<Reply> replies) {
        InferTensorContents.Builder contents = InferTensorContents.newBuilder();
        for (Reply reply : replies) {
            if (wanted.isText()) {
                wanted.texts(reply).forEach(text -> contents.addBytesContents(ByteString.copyFromUtf8(text)));
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
    private static ByteString texts(WantedOutput wanted, List<Reply> replies) {
        ByteBuf bytes = Unpooled.buffer();
        for (Reply reply : replies) {
            for (String text : wanted.texts(reply)) {
                bytes.writeIntLE(text.length()).writeCharSequence(text, StandardCharsets.US_ASCII);
            }
        }
        return ByteString.copyFrom(bytes.nioBuffer());
    }
}
