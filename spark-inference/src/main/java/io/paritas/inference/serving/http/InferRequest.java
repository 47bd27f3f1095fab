/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.protocol.Classification;
import io.paritas.inference.serving.protocol.Datatype;
import io.paritas.inference.serving.protocol.InputTensor;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Timeout;
import io.paritas.inference.serving.protocol.WantedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The body of an inference request.
 *
 * @param id that the reply repeats; null if there is none
 * @param rows the queries
 * @param deadline zero if the request gives none
 * @param outputs the wanted outputs, each once
 */
record InferRequest(String id, List<float[]> rows, Duration deadline, List<WantedOutput> outputs) {
    private static final String BINARY_SIZE = "binary_data_size";

    /**
     * Reads a body: JSON, followed by the bytes of tensors that are not in the JSON.
     *
     * @param jsonLength the number of leading bytes that are JSON
     * @throws Problem if the request is malformed or does not fit the model
     */
    static InferRequest read(ServedModel model, byte[] body, int jsonLength) {
        if (jsonLength < 0 || jsonLength > body.length) {
            throw Problem.badRequest("Inference-Header-Content-Length must be 0 to the " + body.length
                    + " bytes of the body, got " + jsonLength);
        }
        RequestJson request = RequestJson.read(body, jsonLength);
        ObjectNode json = request.tree();
        JsonNode input = onlyInput(model, json);
        JsonNode shape = input.path("shape");
        InputTensor tensor = InputTensor.of(
                model,
                input.path("name").asText(""),
                input.path("datatype").asText(""),
                sizes(shape),
                shape.isMissingNode() ? "none" : shape);
        InputTensor.requireKnown(tensor.spec().name(), names(Json.parameters(input)));
        ByteBuffer binary = ByteBuffer.wrap(body, jsonLength, body.length - jsonLength);
        return new InferRequest(
                id(json.path("id")),
                values(tensor, request, input, binary),
                deadline(Json.parameters(json)),
                outputs(model, json));
    }

    private static List<Long> sizes(JsonNode shape) {
        List<Long> sizes = new ArrayList<>();
        for (JsonNode size : shape) {
            sizes.add(size.canConvertToExactIntegral() && size.canConvertToLong() ? size.longValue() : -1);
        }
        return sizes;
    }

    private static Iterable<String> names(JsonNode parameters) {
        return parameters::fieldNames;
    }

    /* A number is not repeated as a string: a client that compares would not find its request. */
    private static String id(JsonNode id) {
        if (!id.isMissingNode() && !id.isNull() && !id.isTextual()) {
            throw Problem.badRequest("'id' must be a string, got " + id);
        }
        return id.textValue();
    }

    private static JsonNode onlyInput(ServedModel model, ObjectNode json) {
        JsonNode inputs = json.path("inputs");
        TensorSpec spec = model.input();
        if (!inputs.isArray() || inputs.size() != 1) {
            throw Problem.badRequest("'inputs' must be an array with the one tensor '" + spec.name() + "' of the model "
                    + model + ", got " + (inputs.isArray() ? inputs.size() : inputs.getNodeType()));
        }
        return inputs.get(0);
    }

    private static List<float[]> values(InputTensor tensor, RequestJson request, JsonNode input, ByteBuffer binary) {
        String name = tensor.spec().name();
        JsonNode size = Json.parameters(input).path(BINARY_SIZE);
        if (size.isMissingNode()) {
            if (binary.hasRemaining()) {
                throw Problem.badRequest("bytes behind the JSON must belong to an input with the parameter "
                        + BINARY_SIZE + ", got " + binary.remaining() + " more");
            }
            return fromJson(tensor, request, input.path("data"));
        }
        if (!size.canConvertToExactIntegral()
                || !size.canConvertToLong()
                || size.longValue() != tensor.bytes()
                || binary.remaining() != size.longValue()) {
            throw Problem.badRequest("the input '" + name + "' of " + tensor.rows() + " rows must have "
                    + tensor.bytes() + " bytes behind the JSON and in " + BINARY_SIZE + ", got " + binary.remaining()
                    + " bytes and " + BINARY_SIZE + " " + size);
        }
        return tensor.read(binary);
    }

    private static List<float[]> fromJson(InputTensor tensor, RequestJson request, JsonNode data) {
        String name = tensor.spec().name();
        if (!data.isArray()) {
            throw Problem.badRequest("the input '" + name + "' must have an array 'data', or bytes behind the JSON"
                    + " and the parameter " + BINARY_SIZE + ", got neither");
        }
        if (request.values() != tensor.values()) {
            throw Problem.badRequest("the input '" + name + "' of " + tensor.rows() + " rows must have "
                    + tensor.values() + " values in 'data', got " + request.values());
        }
        return request.rows(tensor.rows(), tensor.spec().size(), parser -> value(tensor, parser));
    }

    /* Of the usual numbers there may be thousands: they have no nodes of their own. */
    private static float value(InputTensor tensor, JsonParser parser) throws IOException {
        Datatype type = tensor.datatype();
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NUMBER_FLOAT && type == Datatype.FP32) {
            float number = (float) parser.getDoubleValue();
            if (Float.isFinite(number)) {
                return number;
            }
        }
        if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            if (type == Datatype.FP32) {
                return parser.getLongValue();
            }
            if (type.isWhole()) {
                return type.of(parser.getLongValue());
            }
        }
        return value(tensor, Json.value(parser));
    }

    private static float value(InputTensor tensor, JsonNode element) {
        Datatype type = tensor.datatype();
        if (type == Datatype.FP32 && element.isNumber() && Float.isFinite(element.floatValue())) {
            return element.floatValue();
        }
        if (type == Datatype.FP64 && element.isNumber() && Double.isFinite(element.doubleValue())) {
            return type.of(element.doubleValue());
        }
        if (type == Datatype.BOOL && element.isBoolean()) {
            return element.booleanValue() ? 1 : 0;
        }
        if (type.isWhole() && element.canConvertToExactIntegral()) {
            return element.canConvertToLong() ? type.of(element.longValue()) : type.of(element.bigIntegerValue());
        }
        throw Problem.badRequest(
                "the values of '" + tensor.spec().name() + "' must be " + form(type) + ", got " + element);
    }

    private static String form(Datatype type) {
        return switch (type) {
            case BOOL -> "true or false";
            case FP16, BF16 -> "behind the JSON as bytes, because JSON has no " + type;
            case FP32, FP64 -> "numbers that " + type + " can hold";
            default -> "whole numbers that " + type + " can hold";
        };
    }

    private static Duration deadline(JsonNode parameters) {
        JsonNode timeout = parameters.path(Timeout.NAME);
        if (timeout.isMissingNode()) {
            return Duration.ZERO;
        }
        boolean whole = timeout.canConvertToExactIntegral() && timeout.canConvertToLong();
        return Timeout.of(whole ? timeout.longValue() : 0, timeout);
    }

    private static List<WantedOutput> outputs(ServedModel model, ObjectNode json) {
        boolean allBinary = Json.parameters(json).path("binary_data_output").asBoolean(false);
        JsonNode outputs = json.path("outputs");
        if (!outputs.isMissingNode() && !outputs.isNull() && !outputs.isArray()) {
            throw Problem.badRequest("'outputs' must be an array of tensors, got " + outputs.getNodeType());
        }
        if (outputs.isEmpty()) {
            return List.of(WantedOutput.values(model, allBinary));
        }
        List<WantedOutput> wanted = new ArrayList<>();
        Set<String> named = new HashSet<>();
        for (JsonNode output : outputs) {
            String name = output.path("name").asText("");
            JsonNode parameters = Json.parameters(output);
            OutputTensor.require(model, name, names(parameters), named);
            wanted.add(new WantedOutput(
                    name, parameters.path("binary_data").asBoolean(allBinary), classes(model, name, parameters)));
        }
        return wanted;
    }

    private static int classes(ServedModel model, String name, JsonNode parameters) {
        JsonNode classes = parameters.path(InputTensor.CLASSIFICATION);
        if (classes.isMissingNode() || name.equals(OutputTensor.OUTCOME)) {
            return 0;
        }
        boolean whole = classes.canConvertToExactIntegral() && classes.canConvertToLong();
        return Classification.count(
                whole ? classes.longValue() : 0, classes, model.output().size());
    }
}
