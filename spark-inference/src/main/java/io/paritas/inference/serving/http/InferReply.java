/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.Outcome;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Predictions;
import io.paritas.inference.serving.protocol.WantedOutput;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The body of an inference reply: JSON, followed by the outputs that are wanted as bytes.
 *
 * @param body all bytes
 * @param jsonLength the number of leading bytes that are JSON
 * @param outcome the weakest of all rows
 */
record InferReply(ByteBuf body, int jsonLength, Outcome outcome) {
    /* The longest float is -1.17549435E-38, and a comma follows. */
    private static final int JSON_FLOAT_BYTES = 16;

    /** The most bytes that a row takes in these outputs. */
    static long bytesPerRow(ServedModel model, List<WantedOutput> outputs) {
        return outputs.stream()
                .mapToLong(wanted -> wanted.bytesPerRow(model, wanted.binary() ? Float.BYTES : JSON_FLOAT_BYTES))
                .sum();
    }

    /**
     * Writes a reply, whose rows all have values.
     *
     * @throws Problem if values that are wanted as JSON are not finite
     */
    static InferReply write(ServedModel model, InferRequest request, List<Reply> replies) {
        Outcome weakest = Predictions.weakest(replies);
        ObjectNode json = Json.object().put("model_name", model.name()).put("model_version", model.version());
        if (request.id() != null) {
            json.put("id", request.id());
        }
        json.putObject("parameters").put(OutputTensor.OUTCOME, weakest.label());
        ArrayNode outputs = json.putArray("outputs");
        ByteBuf binary = Unpooled.buffer();
        for (WantedOutput wanted : request.outputs()) {
            ObjectNode output = outputs.addObject().put("name", wanted.name());
            ArrayNode shape = output.put("datatype", wanted.isText() ? "BYTES" : "FP32")
                    .putArray("shape")
                    .add(replies.size());
            wanted.shape(model).forEach(shape::add);
            int before = binary.readableBytes();
            if (wanted.isText()) {
                texts(output, replies, wanted, binary);
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

    private static void texts(ObjectNode output, List<Reply> replies, WantedOutput wanted, ByteBuf binary) {
        ArrayNode data = wanted.binary() ? null : output.putArray("data");
        for (Reply reply : replies) {
            for (String text : wanted.texts(reply)) {
                if (wanted.binary()) {
                    binary.writeIntLE(text.length()).writeCharSequence(text, StandardCharsets.US_ASCII);
                } else {
                    data.add(text);
                }
            }
        }
    }

    private static void values(
            ServedModel model, ObjectNode output, List<Reply> replies, boolean asBytes, ByteBuf binary) {
        ArrayNode data = asBytes ? null : output.putArray("data");
        for (int row = 0; row < replies.size(); row++) {
            for (float value : replies.get(row).values()) {
                if (asBytes) {
                    binary.writeFloatLE(value);
                } else if (Float.isFinite(value)) {
                    data.add(value);
                } else { // null would not tell infinity from NaN
                    throw new Problem(
                            HttpResponseStatus.NOT_ACCEPTABLE,
                            "JSON numbers must be finite, row " + row + " of the output '"
                                    + model.output().name()
                                    + "' is not: ask for bytes with the parameter binary_data_output");
                }
            }
        }
    }
}
