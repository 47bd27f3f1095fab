/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The body of a query.
 *
 * @param bytes the JSON, followed by binary values
 * @param jsonLength length of the JSON in bytes
 */
record Body(byte[] bytes, int jsonLength) {
    /** The encoding of values. */
    enum Format {
        BINARY,
        JSON
    }

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int POOL = 64;
    private static final long POOL_BYTES = 64L << 20;

    /**
     * Returns some bodies with random values, at least one.
     *
     * @param deadline to ask the server for; zero for the server's own
     */
    static List<Body> pool(List<Input> inputs, Format format, Duration deadline, long seed) {
        Random random = new Random(seed);
        List<Body> pool = new ArrayList<>();
        long bytes = 0;
        while (pool.isEmpty() || (pool.size() < POOL && bytes < POOL_BYTES)) {
            Body body = random(inputs, format, deadline, random);
            pool.add(body);
            bytes += body.bytes.length;
        }
        return List.copyOf(pool);
    }

    private static Body random(List<Input> inputs, Format format, Duration deadline, Random random) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ByteArrayOutputStream binary = new ByteArrayOutputStream();
        ArrayNode tensors = json.putArray("inputs");
        for (Input input : inputs) {
            ByteBuffer values = values(input, random);
            ObjectNode tensor = tensors.addObject()
                    .put("name", input.name())
                    .put("datatype", input.datatype().name());
            input.shape().forEach(tensor.putArray("shape")::add);
            if (format == Format.BINARY) {
                tensor.putObject("parameters").put("binary_data_size", values.remaining());
                binary.writeBytes(values.array());
            } else {
                ArrayNode data = tensor.putArray("data");
                while (values.hasRemaining()) {
                    input.datatype().move(values, data);
                }
            }
        }
        parameters(json, format, deadline);
        return of(json, binary);
    }

    private static ByteBuffer values(Input input, Random random) {
        int size = input.size();
        ByteBuffer values = ByteBuffer.allocate(size * input.datatype().length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < size; i++) {
            input.datatype().addRandom(random, values);
        }
        return values.flip();
    }

    private static void parameters(ObjectNode json, Format format, Duration deadline) {
        if (format == Format.BINARY) {
            json.withObjectProperty("parameters").put("binary_data_output", true);
        }
        if (!deadline.isZero()) {
            json.withObjectProperty("parameters").put("timeout", deadline.toNanos() / 1_000);
        }
    }

    private static Body of(ObjectNode json, ByteArrayOutputStream binary) {
        try {
            byte[] head = MAPPER.writeValueAsBytes(json);
            byte[] tail = binary.toByteArray();
            byte[] bytes = ByteBuffer.allocate(head.length + tail.length)
                    .put(head)
                    .put(tail)
                    .array();
            return new Body(bytes, head.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isPlain() {
        return jsonLength == bytes.length;
    }
}
