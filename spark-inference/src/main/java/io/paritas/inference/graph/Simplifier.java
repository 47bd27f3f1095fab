/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import java.util.HashMap;
import java.util.Map;

/** Turns constants and identities of weights into weights, and normalisation and dropout into their inference form. */
final class Simplifier {

    private Simplifier() {}

    static ModelProto simplify(ModelProto model) {
        GraphProto.Builder graph = model.getGraph().toBuilder().clearNode();
        Map<String, TensorProto> held = new HashMap<>();
        graph.getInitializerList().forEach(tensor -> held.put(tensor.getName(), tensor));
        for (NodeProto node : model.getGraph().getNodeList()) {
            TensorProto tensor = constant(node, held);
            if (tensor == null) {
                graph.addNode(forInference(node));
            } else {
                TensorProto named =
                        tensor.toBuilder().setName(node.getOutput(0)).build();
                held.put(named.getName(), named);
                graph.addInitializer(named);
            }
        }
        return model.toBuilder().setGraph(graph).build();
    }

    /** The tensor that a node holds; null if it computes something. */
    private static TensorProto constant(NodeProto node, Map<String, TensorProto> held) {
        if (node.getOpType().equals("Identity") && node.getInputCount() == 1) {
            return held.get(node.getInput(0));
        }
        if (node.getOpType().equals("Constant")) {
            for (AttributeProto attribute : node.getAttributeList()) {
                TensorProto tensor = tensor(attribute);
                if (tensor != null) {
                    return tensor;
                }
            }
        }
        return null;
    }

    /** The value of a {@code Constant}; null if it is neither a tensor nor numbers. */
    private static TensorProto tensor(AttributeProto value) {
        TensorProto.Builder floats = TensorProto.newBuilder().setDataType(TensorProto.DataType.FLOAT_VALUE);
        TensorProto.Builder integers = TensorProto.newBuilder().setDataType(TensorProto.DataType.INT64_VALUE);
        return switch (value.getName()) {
            case "value" -> value.getT();
            case "value_float" -> floats.addFloatData(value.getF()).build();
            case "value_floats" ->
                floats.addAllFloatData(value.getFloatsList())
                        .addDims(value.getFloatsCount())
                        .build();
            case "value_int" -> integers.addInt64Data(value.getI()).build();
            case "value_ints" ->
                integers.addAllInt64Data(value.getIntsList())
                        .addDims(value.getIntsCount())
                        .build();
            default -> null;
        };
    }

    /** The node with its first output only and without training mode, which is a parameter of the run. */
    private static NodeProto forInference(NodeProto node) {
        boolean hasModes = node.getOpType().equals("BatchNormalization")
                || node.getOpType().equals("Dropout");
        if (!hasModes) {
            return node;
        }
        NodeProto.Builder result =
                node.toBuilder().clearAttribute().clearOutput().addOutput(node.getOutput(0));
        for (AttributeProto attribute : node.getAttributeList()) {
            if (!attribute.getName().equals("training_mode")) {
                result.addAttribute(attribute);
            }
        }
        if (node.getOpType().equals("Dropout") && node.getInputCount() > 2) {
            result.clearInput().addInput(node.getInput(0)).addInput(node.getInput(1));
        }
        return result.build();
    }
}
