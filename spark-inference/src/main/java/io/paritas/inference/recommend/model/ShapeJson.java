/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.recommend.data.Tables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** The JSON form of a shape, by the names of its fields. */
final class ShapeJson {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private ShapeJson() {}

    static byte[] encode(DlrmShape shape) {
        ObjectNode fields = JSON.createObjectNode();
        fields.put("format", VERSION);
        fields.put("denseFeatures", shape.denseFeatures());
        ArrayNode bottom = fields.putArray("bottom");
        shape.bottom().forEach(bottom::add);
        ArrayNode tables = fields.putArray("tables");
        IntStream.range(0, shape.tables().count())
                .forEach(table -> tables.add(shape.tables().rows(table)));
        fields.put("dimension", shape.dimension());
        fields.put("interaction", shape.interaction().name().toLowerCase(Locale.ROOT));
        ArrayNode top = fields.putArray("top");
        shape.top().forEach(top::add);
        return fields.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException if it is not a shape, or has another version */
    static DlrmShape decode(byte[] json) throws IOException {
        JsonNode fields = tree(json);
        int version = fields.required("format").asInt();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "format must be " + VERSION + ", got " + version + ": use a newer Paritas");
        }
        return new DlrmShape(
                fields.required("denseFeatures").asInt(),
                StreamSupport.stream(fields.required("bottom").spliterator(), false)
                        .map(JsonNode::asInt)
                        .toList(),
                Tables.of(StreamSupport.stream(fields.required("tables").spliterator(), false)
                        .mapToLong(JsonNode::asLong)
                        .toArray()),
                fields.required("dimension").asInt(),
                Interaction.valueOf(fields.required("interaction").asText().toUpperCase(Locale.ROOT)),
                StreamSupport.stream(fields.required("top").spliterator(), false)
                        .map(JsonNode::asInt)
                        .toList());
    }

    private static JsonNode tree(byte[] json) throws IOException {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
