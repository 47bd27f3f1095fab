/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.AttributeProto.AttributeType;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import io.paritas.inference.ModelFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** {@link RandomGraphs} with 1 to 4 things changed that a parser lets through: names, numbers, sizes, operators and their order. */
public final class DamagedGraphs {
    private static final List<ModelProto> SOUND = RandomGraphs.seeds(60)
            .mapToObj(seed -> TestGraphs.proto(RandomGraphs.of(seed).toModelFile()))
            .toList();
    private static final long[] NUMBERS = {
        0,
        1,
        -1,
        2,
        3,
        -2,
        5,
        65_536,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 31,
        1L << 32,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final List<String> OPERATORS = List.of(
            "Conv",
            "BatchNormalization",
            "Relu",
            "Clip",
            "Softmax",
            "Dropout",
            "Identity",
            "MaxPool",
            "AveragePool",
            "GlobalAveragePool",
            "ReduceMean",
            "Flatten",
            "Reshape",
            "Gemm",
            "MatMul",
            "Add",
            "Mul",
            "Concat",
            "Pad",
            "Constant",
            "Shape");
    private static final List<String> SETTINGS =
            List.of("group", "axis", "ceil_mode", "count_include_pad", "transB", "transA", "keepdims", "allowzero");
    private static final List<String> LISTS = List.of("strides", "pads", "dilations", "kernel_shape", "axes");

    private final Random random;
    private final GraphProto.Builder graph;

    private DamagedGraphs(Random random, GraphProto.Builder graph) {
        this.random = random;
        this.graph = graph;
    }

    /** The model of a seed. */
    public static ModelFile of(long seed) {
        Random random = new Random(seed);
        ModelProto.Builder model = SOUND.get(random.nextInt(SOUND.size())).toBuilder();
        DamagedGraphs damage = new DamagedGraphs(random, model.getGraphBuilder());
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            damage.change();
        }
        return ModelFile.of(model.build().toByteArray());
    }

    private void change() {
        if (graph.getNodeCount() == 0) {
            return;
        }
        NodeProto.Builder node = graph.getNodeBuilder(random.nextInt(graph.getNodeCount()));
        switch (random.nextInt(10)) {
            case 0, 1 -> setting(node);
            case 2 -> list(node);
            case 3, 4 -> inputs(node);
            case 5 -> node.setOpType(any(OPERATORS));
            case 6 -> node.setOutput(0, any(names()));
            case 7 -> order();
            default -> tensor();
        }
    }

    private void setting(NodeProto.Builder node) {
        node.addAttribute(
                0,
                AttributeProto.newBuilder()
                        .setName(any(SETTINGS))
                        .setType(AttributeType.INT)
                        .setI(number()));
    }

    private void list(NodeProto.Builder node) {
        AttributeProto.Builder list =
                AttributeProto.newBuilder().setName(any(LISTS)).setType(AttributeType.INTS);
        for (int left = random.nextInt(5); left > 0; left--) {
            list.addInts(number());
        }
        node.addAttribute(0, list);
    }

    private void inputs(NodeProto.Builder node) {
        List<String> inputs = new ArrayList<>(node.getInputList());
        switch (random.nextInt(4)) {
            case 0 -> inputs.add(any(names()));
            case 1 -> inputs.remove(inputs.size() - 1);
            case 2 -> Collections.shuffle(inputs, random);
            default -> inputs.set(random.nextInt(inputs.size()), any(names()));
        }
        node.clearInput().addAllInput(inputs.isEmpty() ? List.of("") : inputs);
    }

    private void order() {
        int from = random.nextInt(graph.getNodeCount());
        NodeProto node = graph.getNode(from);
        if (random.nextBoolean()) {
            graph.removeNode(from);
        }
        graph.addNode(random.nextInt(graph.getNodeCount() + 1), node);
    }

    private void tensor() {
        if (graph.getInitializerCount() == 0) {
            return;
        }
        TensorProto.Builder tensor = graph.getInitializerBuilder(random.nextInt(graph.getInitializerCount()));
        switch (random.nextInt(5)) {
            case 0 -> tensor.setName(any(names()));
            case 1 -> tensor.addDims(1);
            case 2 -> tensor.setDataType(1 + random.nextInt(12));
            case 3 -> {
                List<Long> sizes = new ArrayList<>(tensor.getDimsList());
                Collections.shuffle(sizes, random);
                tensor.clearDims().addAllDims(sizes);
            }
            default -> {
                if (tensor.getInt64DataCount() > 0) {
                    tensor.setInt64Data(random.nextInt(tensor.getInt64DataCount()), number());
                } else if (tensor.getDimsCount() > 0) {
                    tensor.setDims(random.nextInt(tensor.getDimsCount()), number());
                }
            }
        }
    }

    private List<String> names() {
        List<String> names = new ArrayList<>(List.of("", "nobody"));
        graph.getNodeList().forEach(node -> names.addAll(node.getOutputList()));
        graph.getInitializerList().forEach(tensor -> names.add(tensor.getName()));
        graph.getInputList().forEach(input -> names.add(input.getName()));
        return names;
    }

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
