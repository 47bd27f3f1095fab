/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A network as lines of text and a file of numbers, so that a program without ONNX can build it: {@code NAME.txt} with a line for each
 * input, weight and operator, {@code NAME.bin} with the float32 values of all weights, then of some rows and of their predictions by ONNX
 * Runtime.
 */
final class DescribedNetwork {
    private static final int ROWS = 2;
    private static final List<String> LISTS = List.of("strides", "pads", "kernel_shape", "dilations");
    private static final List<String> INTEGERS = List.of("group", "transB", "axis", "ceil_mode", "count_include_pad");

    private DescribedNetwork() {}

    static void write(Path folder, String name, Graph graph) throws IOException {
        List<String> lines = new ArrayList<>();
        List<float[]> values = new ArrayList<>();
        lines.add("input " + graph.input().name() + " " + sizes(graph.input().shape()));
        for (Weight weight : graph.weights().values()) {
            lines.add("weight " + weight.name() + " "
                    + Arrays.stream(weight.shape()).mapToObj(String::valueOf).collect(Collectors.joining(",")));
            values.add(weight.values());
        }
        graph.nodes().forEach(node -> lines.add(line(node)));
        float[] rows = Reference.rows(graph, ROWS);
        lines.add("rows " + ROWS);
        values.add(rows);
        values.add(Reference.predict(graph, rows));
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + ".txt"), lines);
        Files.write(folder.resolve(name + ".bin"), bytes(values));
    }

    private static String sizes(List<Integer> shape) {
        return shape.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static String line(Node node) {
        List<String> words =
                new ArrayList<>(List.of("node", node.op(), node.output(), String.join(",", node.inputs())));
        for (String list : LISTS) {
            if (node.has(list)) {
                words.add(list + "="
                        + Arrays.stream(node.ints(list))
                                .mapToObj(String::valueOf)
                                .collect(Collectors.joining(",")));
            }
        }
        for (String integer : INTEGERS) {
            if (node.has(integer)) {
                words.add(integer + "=" + node.integer(integer, 0));
            }
        }
        if (node.has("epsilon")) {
            words.add("epsilon=" + node.number("epsilon", 0));
        }
        return String.join(" ", words);
    }

    private static byte[] bytes(List<float[]> values) {
        int count = values.stream().mapToInt(each -> each.length).sum();
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(count, Float.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        values.forEach(each -> {
            for (float value : each) {
                bytes.putFloat(value);
            }
        });
        return bytes.array();
    }
}
