/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Writes the networks as an ONNX model (IR 8, operators 13): its input {@code inputs} (samples, dense numbers + tables ·
 * dimension) has the dense numbers of a sample and then the sum of its rows for each table, its output {@code probability}
 * (samples, 1) how likely a click is.
 */
final class OnnxNetwork {
    private static final int IR_VERSION = 8;
    private static final int OPERATORS = 13;
    private static final int FLOAT = 1;
    private static final int INT64 = 7;

    private final DlrmShape shape;
    private final float[] parameters;
    private final Protobuf graph = new Protobuf();

    private OnnxNetwork(DlrmShape shape, float[] parameters) {
        this.shape = shape;
        this.parameters = parameters;
    }

    /** The file's bytes. */
    static byte[] of(DlrmShape shape, float[] parameters) {
        return new OnnxNetwork(shape, parameters).model();
    }

    private byte[] model() {
        int pooled = shape.tables().count() * shape.dimension();
        integers("sizes", shape.denseFeatures(), pooled);
        node("Split", List.of("inputs", "sizes"), List.of("dense", "pooled"), integer("axis", 1));
        String features = layers(shape.bottomLayers(), "dense");
        String top = shape.interaction() == Interaction.DOT ? innerProducts(features) : "pooled";
        node("Concat", List.of(features, top), List.of("interaction"), integer("axis", 1));
        node("Sigmoid", List.of(layers(shape.topLayers(), "interaction")), List.of("probability"));
        graph.text(2, "dlrm");
        graph.message(11, value("inputs", shape.denseFeatures() + pooled));
        graph.message(12, value("probability", 1));
        return new Protobuf()
                .number(1, IR_VERSION)
                .text(2, "paritas")
                .message(7, graph)
                .message(8, new Protobuf().text(1, "").number(2, OPERATORS))
                .toBytes();
    }

    private String layers(List<Layer> layers, String inputs) {
        String values = inputs;
        for (Layer layer : layers) {
            String weight = layer.name() + ".weight";
            String bias = layer.name() + ".bias";
            floats(weight, layer.offset(), layer.outputs(), layer.inputs());
            floats(bias, layer.biasOffset(), layer.outputs());
            node("Gemm", List.of(values, weight, bias), List.of(layer.name()), integer("transB", 1));
            values = layer.name();
            if (layer.rectified()) {
                node("Relu", List.of(values), List.of(layer.name() + ".relu"));
                values = layer.name() + ".relu";
            }
        }
        return values;
    }

    private String innerProducts(String features) {
        int count = shape.tables().count() + 1;
        integers("vectors.shape", -1, count, shape.dimension());
        integers("products.shape", -1, count * count);
        integers(
                "below",
                IntStream.range(0, count * count)
                        .filter(i -> i % count < i / count)
                        .toArray());
        node("Concat", List.of(features, "pooled"), List.of("rows"), integer("axis", 1));
        node("Reshape", List.of("rows", "vectors.shape"), List.of("vectors"));
        node("Transpose", List.of("vectors"), List.of("transposed"), integers("perm", List.of(0, 2, 1)));
        node("MatMul", List.of("vectors", "transposed"), List.of("products"));
        node("Reshape", List.of("products", "products.shape"), List.of("flat"));
        node("Gather", List.of("flat", "below"), List.of("pairs"), integer("axis", 1));
        return "pairs";
    }

    private void node(String operator, List<String> inputs, List<String> outputs, Protobuf... attributes) {
        Protobuf node = new Protobuf();
        inputs.forEach(input -> node.text(1, input));
        outputs.forEach(output -> node.text(2, output));
        node.text(3, outputs.get(0)).text(4, operator);
        for (Protobuf attribute : attributes) {
            node.message(5, attribute);
        }
        graph.message(1, node);
    }

    private static Protobuf integer(String name, int value) {
        return new Protobuf().text(1, name).number(3, value).number(20, 2);
    }

    private static Protobuf integers(String name, List<Integer> values) {
        Protobuf attribute = new Protobuf().text(1, name);
        values.forEach(value -> attribute.number(8, value));
        return attribute.number(20, 7);
    }

    private void floats(String name, int offset, int... dimensions) {
        int length = IntStream.of(dimensions).reduce(1, (a, b) -> a * b);
        ByteBuffer raw = littleEndian(length * Float.BYTES);
        raw.asFloatBuffer().put(parameters, offset, length);
        tensor(name, FLOAT, raw, dimensions);
    }

    private void integers(String name, int... values) {
        ByteBuffer raw = littleEndian(values.length * Long.BYTES);
        IntStream.of(values).forEach(raw::putLong);
        tensor(name, INT64, raw, values.length);
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void tensor(String name, int type, ByteBuffer raw, int... dimensions) {
        Protobuf tensor = new Protobuf();
        IntStream.of(dimensions).forEach(dimension -> tensor.number(1, dimension));
        graph.message(5, tensor.number(2, type).text(8, name).bytes(9, raw.array()));
    }

    private static Protobuf value(String name, int columns) {
        Protobuf samples = new Protobuf().text(2, "samples");
        Protobuf dimensions = new Protobuf().message(1, samples).message(1, new Protobuf().number(1, columns));
        Protobuf tensor = new Protobuf().number(1, FLOAT).message(2, dimensions);
        return new Protobuf().text(1, name).message(2, new Protobuf().message(1, tensor));
    }
}
