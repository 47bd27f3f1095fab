/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.FunctionProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.ModelException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds operators that are in training mode. There a prediction depends on the rows beside it (a normalisation takes the batch's own
 * mean) or on chance (a dropout), so that nobody could compute it again. A {@link Graph} is in inference mode, whatever the file says.
 */
final class TrainingMode {
    private static final ByteString TRUE = ByteString.copyFrom(new byte[] {1});
    /** Before, a normalisation is in training mode if it has more outputs than one. */
    private static final int MODE_IS_AN_ATTRIBUTE = 14;

    private final long opset;
    /** Constants that are true or false, by name. */
    private final Map<String, Boolean> truths = new HashMap<>();

    private TrainingMode(List<OperatorSetIdProto> imports) {
        this.opset = imports.stream()
                .filter(operators -> Graph.isOwn(operators.getDomain()))
                .mapToLong(OperatorSetIdProto::getVersion)
                .findFirst()
                .orElse(1);
    }

    /** @throws ModelException if an operator is in training mode; the message names it */
    static void refuse(ModelProto model) {
        new TrainingMode(model.getOpsetImportList()).refuse(model.getGraph());
        for (FunctionProto function : model.getFunctionsList()) {
            new TrainingMode(function.getOpsetImportList()).refuse(function.getNodeList());
        }
    }

    private void refuse(GraphProto graph) {
        graph.getInitializerList().forEach(tensor -> note(tensor.getName(), tensor));
        refuse(graph.getNodeList());
    }

    private void refuse(List<NodeProto> nodes) {
        for (NodeProto node : nodes) {
            if (Graph.isOwn(node.getDomain())) {
                note(node);
                if (isOn(node)) {
                    throw new ModelException("a model must be in inference mode to predict, " + Soundness.text(node)
                            + " is in training mode, where predictions depend on other rows or on chance: call"
                            + " model.eval() before torch.onnx.export");
                }
            }
            for (AttributeProto attribute : node.getAttributeList()) {
                refuse(attribute.getG());
                attribute.getGraphsList().forEach(this::refuse);
            }
        }
    }

    private boolean isOn(NodeProto node) {
        return switch (node.getOpType()) {
            case "BatchNormalization" ->
                opset < MODE_IS_AN_ATTRIBUTE
                        ? node.getOutputList().stream().skip(1).anyMatch(output -> !output.isEmpty())
                        : new Node(node).integer("training_mode", 0) != 0;
            case "Dropout" -> node.getInputCount() > 2 && truths.getOrDefault(node.getInput(2), false);
            default -> false;
        };
    }

    private void note(NodeProto node) {
        if (node.getOutputCount() == 0) {
            return;
        }
        Boolean read = node.getInputCount() == 0 ? null : truths.get(node.getInput(0));
        String output = node.getOutput(0);
        switch (node.getOpType()) {
            case "Constant" ->
                node.getAttributeList().stream()
                        .filter(AttributeProto::hasT)
                        .forEach(value -> note(output, value.getT()));
            case "Identity" -> truths.computeIfAbsent(output, name -> read);
            case "Not" -> truths.computeIfAbsent(output, name -> read == null ? null : !read);
            default -> {}
        }
    }

    /** A truth value is a byte, or an int32. */
    private void note(String name, TensorProto value) {
        if (value.getDataType() == TensorProto.DataType.BOOL_VALUE) {
            truths.put(
                    name,
                    value.getRawData().equals(TRUE) || value.getInt32DataList().contains(1));
        }
    }
}
