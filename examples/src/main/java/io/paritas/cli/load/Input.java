/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An input of a model, from its metadata.
 *
 * @param shape of a query: one row, with 1 for every other open dimension
 */
record Input(String name, Datatype datatype, List<Integer> shape) {
    private static final long MAX_BYTES = 64L << 20;

    Input {
        shape = List.copyOf(shape);
        if (bytes(datatype, shape) > MAX_BYTES) {
            throw new IllegalStateException("the input '" + name + "' has the shape " + shape
                    + ", and a query may have up to " + MAX_BYTES + " bytes: name another model");
        }
    }

    private static double bytes(Datatype datatype, List<Integer> shape) {
        return shape.stream().mapToDouble(Integer::doubleValue).reduce(datatype.length, (a, b) -> a * b);
    }

    /**
     * Returns all inputs of a model.
     *
     * @throws IllegalStateException if this is not metadata, or has inputs of unsupported types
     */
    static List<Input> all(Target target, JsonNode metadata) {
        List<Input> inputs = new ArrayList<>();
        for (JsonNode input : metadata.path("inputs")) {
            inputs.add(one(target, input));
        }
        if (inputs.isEmpty()) {
            throw new IllegalStateException("what answers at " + target.url() + " does not say which inputs the model '"
                    + target.model() + "' has, as servers of the Open Inference Protocol do: name another URL");
        }
        return List.copyOf(inputs);
    }

    private static Input one(Target target, JsonNode json) {
        String name = json.path("name").asText();
        String type = json.path("datatype").asText();
        List<Integer> shape = new ArrayList<>();
        json.path("shape").forEach(size -> shape.add(Math.max(1, size.asInt())));
        Datatype datatype = Arrays.stream(Datatype.values())
                .filter(each -> each.name().equals(type))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the input '" + name + "' of the model '" + target.model()
                        + "' has the datatype " + type + ", and queries can be made of "
                        + Arrays.toString(Datatype.values()) + " only"));
        return new Input(name, datatype, shape);
    }

    /** The number of values in a query. */
    int size() {
        return shape.stream().reduce(1, (a, b) -> a * b);
    }

    @Override
    public String toString() {
        return name + " " + datatype + " " + shape;
    }
}
