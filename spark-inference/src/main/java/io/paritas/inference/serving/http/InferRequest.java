/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.ServedModel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
record InferRequest(String id, List<float[]> rows, Duration deadline, List<Wanted> outputs) {
    private static final String BINARY_SIZE = "binary_data_size";

    /** A wanted output, as JSON or as bytes. */
    record Wanted(String name, boolean binary) {}

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
        ObjectNode json = Json.read(body, jsonLength);
        JsonNode input = onlyInput(model, json);
        ByteBuffer binary =
                ByteBuffer.wrap(body, jsonLength, body.length - jsonLength).order(ByteOrder.LITTLE_ENDIAN);
        int rows = rows(model.input(), input);
        return new InferRequest(
                id(json.path("id")),
                values(model.input(), input, rows, binary),
                deadline(json.path("parameters")),
                outputs(model, json));
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
        JsonNode input = inputs.get(0);
        String name = input.path("name").asText("");
        if (!name.equals(spec.name())) {
            throw Problem.badRequest(
                    "the input of the model " + model + " must be '" + spec.name() + "', got '" + name + "'");
        }
        String type = input.path("datatype").asText("");
        if (!type.equals("FP32")) {
            throw Problem.badRequest("the input '" + name + "' must have the datatype FP32, got '" + type + "'");
        }
        return input;
    }

    private static int rows(TensorSpec spec, JsonNode input) {
        List<Integer> wanted = spec.shape();
        JsonNode shape = input.path("shape");
        boolean fits = shape.isArray()
                && shape.size() == wanted.size() + 1
                && isWhole(shape.get(0))
                && shape.get(0).intValue() >= 1;
        for (int i = 0; fits && i < wanted.size(); i++) {
            JsonNode size = shape.get(i + 1);
            fits = isWhole(size) && size.intValue() == wanted.get(i);
        }
        if (!fits) {
            List<Object> expected = new ArrayList<>(List.of("rows"));
            expected.addAll(wanted);
            throw Problem.badRequest("the input '" + spec.name() + "' must have the shape " + expected
                    + " with at least 1 row, got " + shape);
        }
        return shape.get(0).intValue();
    }

    private static boolean isWhole(JsonNode number) {
        return number.canConvertToExactIntegral() && number.canConvertToInt();
    }

    private static List<float[]> values(TensorSpec spec, JsonNode input, int rows, ByteBuffer binary) {
        long count = (long) rows * spec.size();
        JsonNode size = input.path("parameters").path(BINARY_SIZE);
        if (size.isMissingNode()) {
            if (binary.hasRemaining()) {
                throw Problem.badRequest("bytes behind the JSON must belong to an input with the parameter "
                        + BINARY_SIZE + ", got " + binary.remaining() + " more");
            }
            return fromJson(spec, input.path("data"), rows, count);
        }
        if (!size.canConvertToExactIntegral()
                || !size.canConvertToLong()
                || size.longValue() != count * Float.BYTES
                || binary.remaining() != size.longValue()) {
            throw Problem.badRequest("the input '" + spec.name() + "' of " + rows + " rows must have "
                    + count * Float.BYTES
                    + " bytes behind the JSON and in " + BINARY_SIZE + ", got " + binary.remaining() + " bytes and "
                    + BINARY_SIZE + " " + size);
        }
        List<float[]> values = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            float[] one = new float[spec.size()];
            binary.asFloatBuffer().get(one);
            binary.position(binary.position() + one.length * Float.BYTES);
            values.add(one);
        }
        return values;
    }

    private static List<float[]> fromJson(TensorSpec spec, JsonNode data, int rows, long count) {
        if (!data.isArray()) {
            throw Problem.badRequest(
                    "the input '" + spec.name() + "' must have an array 'data', or bytes behind the JSON"
                            + " and the parameter " + BINARY_SIZE + ", got neither");
        }
        // Counted first, so that nothing is allocated for rows that are not there.
        long found = leaves(data);
        if (found != count) {
            throw Problem.badRequest("the input '" + spec.name() + "' of " + rows + " rows must have " + count
                    + " values in 'data', got " + found);
        }
        float[] all = new float[(int) count];
        flatten(spec.name(), data, all, 0);
        List<float[]> values = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            values.add(Arrays.copyOfRange(all, row * spec.size(), (row + 1) * spec.size()));
        }
        return values;
    }

    private static long leaves(JsonNode data) {
        long count = 0;
        for (JsonNode element : data) {
            count += element.isArray() ? leaves(element) : 1;
        }
        return count;
    }

    private static int flatten(String name, JsonNode data, float[] into, int position) {
        int next = position;
        for (JsonNode element : data) {
            if (element.isArray()) {
                next = flatten(name, element, into, next);
                continue;
            }
            into[next] = element.isNumber() ? element.floatValue() : Float.NaN;
            if (!Float.isFinite(into[next])) {
                throw Problem.badRequest(
                        "the values of '" + name + "' must be numbers that FP32 can hold, got " + element);
            }
            next++;
        }
        return next;
    }

    private static Duration deadline(JsonNode parameters) {
        JsonNode timeout = parameters.path("timeout");
        if (timeout.isMissingNode()) {
            return Duration.ZERO;
        }
        long micros = timeout.canConvertToExactIntegral() && timeout.canConvertToLong() ? timeout.longValue() : 0;
        if (micros < 1 || micros > Duration.ofHours(1).toNanos() / 1_000) {
            throw Problem.badRequest(
                    "the parameter timeout must be 1 to 3600000000 whole microseconds, got " + timeout);
        }
        return Duration.ofNanos(micros * 1_000);
    }

    private static List<Wanted> outputs(ServedModel model, ObjectNode json) {
        boolean allBinary = json.path("parameters").path("binary_data_output").asBoolean(false);
        JsonNode outputs = json.path("outputs");
        if (!outputs.isMissingNode() && !outputs.isNull() && !outputs.isArray()) {
            throw Problem.badRequest("'outputs' must be an array of tensors, got " + outputs.getNodeType());
        }
        if (outputs.isEmpty()) {
            return List.of(new Wanted(model.output().name(), allBinary));
        }
        List<Wanted> wanted = new ArrayList<>();
        Set<String> named = new HashSet<>();
        for (JsonNode output : outputs) {
            String name = output.path("name").asText("");
            if (!name.equals(model.output().name()) && !name.equals(InferReply.ORIGIN)) {
                throw Problem.badRequest("an output of the model " + model + " must be '"
                        + model.output().name() + "' or '" + InferReply.ORIGIN + "', got '" + name + "'");
            }
            if (!named.add(name)) {
                throw Problem.badRequest("an output must be named once, got '" + name + "' again");
            }
            wanted.add(new Wanted(
                    name, output.path("parameters").path("binary_data").asBoolean(allBinary)));
        }
        return wanted;
    }
}
