/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.sun.management.ThreadMXBean;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.ServedModel;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InferRequestTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 13);
    private static final int VALUES = 10_000;

    private final ServedModel model = new ServedModel(
            "wide",
            "1",
            new TensorSpec("input", List.of(VALUES)),
            new TensorSpec("output", List.of(1)),
            new Policy.Uncoded(),
            Limits.DEFAULT);

    private static byte[] request(String datatype, List<String> values) {
        return ("{\"inputs\":[{\"name\":\"input\",\"datatype\":\"" + datatype + "\",\"shape\":[1," + VALUES
                        + "],\"data\":[" + String.join(",", values) + "]}]}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static List<String> values(Supplier<String> value) {
        return Stream.generate(value).limit(VALUES).collect(Collectors.toList());
    }

    private float[] read(byte[] body) {
        return InferRequest.read(model, body, body.length).rows().get(0);
    }

    /** Objects for each would cost more than the rest of a query. */
    @ParameterizedTest
    @CsvSource({"FP32, 0.4901961", "FP32, 251", "UINT8, 251", "INT64, -1234567"})
    void valuesTakeLittleMoreMemoryThanTheirFloats(String datatype, String value) {
        byte[] body = request(datatype, values(() -> value));
        read(body); // loads classes, and makes the buffers of this thread's parsers
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        long before = threads.getCurrentThreadAllocatedBytes();
        float[] read = read(body);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(read).containsOnly(Float.parseFloat(value));
        assertThat(allocated).isLessThan(VALUES * 12L);
    }

    @Test
    void decimalsAreReadAsJavaReadsThem() {
        Random random = new Random(SEED);
        List<String> decimals = values(() -> switch (random.nextInt(3)) {
            case 0 -> Float.toString(random.nextFloat());
            case 1 -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(60) - 40));
            default -> random.nextInt(1_000) + "." + "0123456789".repeat(1 + random.nextInt(5));
        });

        float[] read = read(request("FP32", decimals));

        for (int i = 0; i < VALUES; i++) {
            assertThat(read[i]).as("%s, seed %s", decimals.get(i), SEED).isEqualTo((float)
                    Double.parseDouble(decimals.get(i)));
        }
    }

    @Test
    void floatsAreWrittenSoThatTheyReadBack() {
        Random random = new Random(SEED);
        ArrayNode written = Json.array();
        List<Float> floats = Stream.generate(() -> Float.intBitsToFloat(random.nextInt()))
                .filter(Float::isFinite)
                .limit(VALUES)
                .toList();
        floats.forEach(written::add);

        String[] texts = new String(Json.bytes(written), StandardCharsets.US_ASCII).split("[\\[,\\]]");

        assertThat(Stream.of(texts).skip(1).map(Float::parseFloat))
                .as("seed %s", SEED)
                .containsExactlyElementsOf(floats);
    }
}
