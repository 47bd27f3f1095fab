/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads and writes JSON. */
final class Json {
    /* With Jackson's own code for numbers: the JDK's makes a string of each that is read. */
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
                    .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /* What Jackson says to those who use it: of NaN, say, how to have it allowed. */
    private static final String FOR_PROGRAMMERS = ": enable `JsonReadFeature\\..*";

    private static final ObjectReader PART = MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads an object from a body. */
    static ObjectNode read(byte[] body) {
        return RequestJson.read(body, body.length).tree();
    }

    static JsonParser parser(byte[] bytes, int length) throws IOException {
        return MAPPER.createParser(bytes, 0, length);
    }

    /** The object that is all of the first bytes of a body. */
    static ObjectNode object(JsonParser parser, byte[] bytes, int length) throws IOException {
        if (MAPPER.<JsonNode>readTree(parser) instanceof ObjectNode object) {
            return object;
        }
        throw Problem.badRequest("the body must be a JSON object, got "
                + (length == 0 ? "nothing" : new String(bytes, 0, Math.min(length, 20), StandardCharsets.UTF_8)));
    }

    /** What a client is told when its JSON cannot be parsed. */
    static Problem problem(IOException e) {
        if (e instanceof MismatchedInputException) {
            return Problem.badRequest("the body must be one JSON object, got more behind it");
        }
        return e instanceof JsonProcessingException json
                ? Problem.badRequest(
                        "the body must be JSON: " + json.getOriginalMessage().replaceFirst(FOR_PROGRAMMERS, ""))
                : Problem.badRequest("the body must be JSON in UTF-8: " + e.getMessage());
    }

    /** The value that a parser is at, as a tree has it. */
    static JsonNode value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_NUMBER_FLOAT -> DoubleNode.valueOf(parser.getDoubleValue());
            case VALUE_TRUE, VALUE_FALSE -> BooleanNode.valueOf(parser.getBooleanValue());
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? BigIntegerNode.valueOf(parser.getBigIntegerValue())
                        : LongNode.valueOf(parser.getLongValue());
            default -> PART.readTree(parser);
        };
    }

    /** The object {@code parameters} of a request, an input or an output; a missing node if there is none. */
    static JsonNode parameters(JsonNode of) {
        JsonNode parameters = of.path("parameters");
        if (!parameters.isObject() && !parameters.isMissingNode() && !parameters.isNull()) {
            throw Problem.badRequest("'parameters' must be an object, got " + parameters);
        }
        return parameters;
    }

    /** {@code {"error": ...}}, the protocol's form. */
    static byte[] error(String message) {
        return bytes(object().put("error", message));
    }

    static void put(ObjectNode node, String field, List<Integer> values) {
        values.forEach(node.putArray(field)::add);
    }
}
