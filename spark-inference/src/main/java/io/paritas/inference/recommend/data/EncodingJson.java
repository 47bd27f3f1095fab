/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** The JSON form of an encoding, without its vocabulary. */
final class EncodingJson {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private EncodingJson() {}

    /**
     * @param types of the categorical columns; none if they are not known, as in files of earlier versions
     * @param vocabulary whether there is one
     */
    record Fields(FeatureColumns columns, List<String> types, Tables tables, boolean vocabulary) {
        Fields {
            if (!types.isEmpty() && types.size() != columns.categorical().size()) {
                throw new IllegalArgumentException(
                        "each categorical column must have a type, got " + types + " for " + columns.categorical());
            }
        }
    }

    static byte[] encode(Fields fields) {
        ObjectNode json = JSON.createObjectNode();
        FeatureColumns columns = fields.columns();
        json.put("format", VERSION);
        json.put("label", columns.label());
        columns.dense().forEach(json.putArray("dense")::add);
        json.put("scale", columns.scale().name().toLowerCase(Locale.ROOT));
        columns.categorical().forEach(json.putArray("categorical")::add);
        if (!fields.types().isEmpty()) {
            fields.types().forEach(json.putArray("types")::add);
        }
        IntStream.range(0, fields.tables().count())
                .mapToLong(fields.tables()::rows)
                .forEach(json.putArray("tables")::add);
        json.put("vocabulary", fields.vocabulary());
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException if it is not an encoding, or has another version */
    static Fields decode(byte[] bytes) throws IOException {
        JsonNode json;
        try {
            json = JSON.readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        int version = json.required("format").asInt();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "format must be " + VERSION + ", got " + version + ": use a newer Paritas");
        }
        FeatureColumns columns = new FeatureColumns(
                json.required("label").asText(),
                texts(json.required("dense")),
                texts(json.required("categorical")),
                Scale.valueOf(json.required("scale").asText().toUpperCase(Locale.ROOT)));
        long[] tables = StreamSupport.stream(json.required("tables").spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .toArray();
        return new Fields(
                columns,
                texts(json.path("types")),
                Tables.of(tables),
                json.required("vocabulary").asBoolean());
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}
