/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads and writes JSON. */
final class Json {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

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

    /** Reads an object from the first bytes of a body. */
    static ObjectNode read(byte[] bytes, int length) {
        try {
            if (MAPPER.readTree(bytes, 0, length) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException e) {
            throw Problem.badRequest("the body must be JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw Problem.badRequest("the body must be JSON in UTF-8: " + e.getMessage());
        }
        throw Problem.badRequest("the body must be a JSON object, got "
                + (length == 0 ? "nothing" : new String(bytes, 0, Math.min(length, 20), StandardCharsets.UTF_8)));
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
