/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.paritas.inference.serving.Origin;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/**
 * The body of an inference reply: JSON, and behind it the outputs that are wanted as bytes.
 *
 * @param body the bytes
 * @param jsonLength how many of them are JSON
 * @param origin the weakest of all rows
 */
record InferReply(ByteBuf body, int jsonLength, Origin origin) {
    /** The output that says for each row how it was obtained, and the parameter that says it for all together. */
    static final String ORIGIN = "paritas_origin";

    /** Writes a reply; every row has values. */
    static InferReply write(ServedModel model, InferRequest request, List<Reply> replies) {
        Origin weakest = replies.stream()
                .map(Reply::origin)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        ObjectNode json = Json.object().put("model_name", model.name()).put("model_version", model.version());
        if (request.id() != null) {
            json.put("id", request.id());
        }
        json.putObject("parameters").put(ORIGIN, weakest.label());
        ArrayNode outputs = json.putArray("outputs");
        ByteBuf binary = Unpooled.buffer();
        for (InferRequest.Wanted wanted : request.outputs()) {
            ObjectNode output = outputs.addObject().put("name", wanted.name());
            int before = binary.readableBytes();
            if (wanted.name().equals(ORIGIN)) {
                origins(output, replies, wanted.binary(), binary);
            } else {
                values(model, output, replies, wanted.binary(), binary);
            }
            if (wanted.binary()) {
                output.putObject("parameters").put("binary_data_size", binary.readableBytes() - before);
            }
        }
        byte[] head = Json.bytes(json);
        return new InferReply(Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(head), binary), head.length, weakest);
    }

    private static void origins(ObjectNode output, List<Reply> replies, boolean asBytes, ByteBuf binary) {
        output.put("datatype", "BYTES").putArray("shape").add(replies.size());
        ArrayNode data = asBytes ? null : output.putArray("data");
        for (Reply reply : replies) {
            String label = reply.origin().label();
            if (asBytes) {
                binary.writeIntLE(label.length()).writeCharSequence(label, StandardCharsets.US_ASCII);
            } else {
                data.add(label);
            }
        }
    }

    private static void values(
            ServedModel model, ObjectNode output, List<Reply> replies, boolean asBytes, ByteBuf binary) {
        ArrayNode shape = output.put("datatype", "FP32").putArray("shape").add(replies.size());
        model.output().shape().forEach(shape::add);
        ArrayNode data = asBytes ? null : output.putArray("data");
        for (Reply reply : replies) {
            for (float value : reply.values()) {
                if (asBytes) {
                    binary.writeFloatLE(value);
                } else {
                    data.add(value);
                }
            }
        }
    }
}
