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
import java.util.stream.LongStream;
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
        int version = number(fields, "format");
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "format must be " + VERSION + ", got " + version + ": use a newer Paritas");
        }
        return new DlrmShape(
                number(fields, "denseFeatures"),
                numbers(fields, "bottom", Integer.MAX_VALUE)
                        .mapToObj(size -> (int) size)
                        .toList(),
                Tables.of(numbers(fields, "tables", Long.MAX_VALUE).toArray()),
                number(fields, "dimension"),
                Interaction.valueOf(fields.required("interaction").asText().toUpperCase(Locale.ROOT)),
                numbers(fields, "top", Integer.MAX_VALUE)
                        .mapToObj(size -> (int) size)
                        .toList());
    }

    private static int number(JsonNode fields, String name) {
        return (int) number(name, fields.required(name), Integer.MAX_VALUE);
    }

    private static LongStream numbers(JsonNode fields, String name, long most) {
        JsonNode list = fields.required(name);
        if (!list.isArray()) {
            throw new IllegalArgumentException(name + " must be a list of whole numbers, got " + list);
        }
        return StreamSupport.stream(list.spliterator(), false).mapToLong(number -> number(name, number, most));
    }

    /* Jackson would read a text, or a number with a fraction, as some whole number. */
    private static long number(String name, JsonNode given, long most) {
        boolean whole = given.isIntegralNumber() && given.canConvertToLong();
        if (!whole || given.longValue() < 1 || given.longValue() > most) {
            throw new IllegalArgumentException(name + " must have whole numbers from 1 to " + most + ", got " + given);
        }
        return given.longValue();
    }

    private static JsonNode tree(byte[] json) throws IOException {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
