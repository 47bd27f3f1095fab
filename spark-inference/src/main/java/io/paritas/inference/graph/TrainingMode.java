/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.ModelException;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds operators that are in training mode. There a prediction depends on the rows beside it (a normalisation takes the batch's own
 * mean) or on chance (a dropout), so that nobody could compute it again. A {@link Graph} is in inference mode, whatever the file says.
 */
final class TrainingMode {
    private static final ByteString TRUE = ByteString.copyFrom(new byte[] {1});

    /** Constants that are true. */
    private final Set<String> yes = new HashSet<>();

    private TrainingMode() {}

    /** @throws ModelException if an operator is in training mode; the message names it */
    static void refuse(GraphProto graph) {
        TrainingMode mode = new TrainingMode();
        graph.getInitializerList().forEach(tensor -> mode.note(tensor.getName(), tensor));
        for (NodeProto node : graph.getNodeList()) {
            if (mode.isOn(node)) {
                throw new ModelException("a model must be in inference mode to predict, " + new Node(node)
                        + " is in training mode, where predictions depend on other rows or on chance: call model.eval()"
                        + " before torch.onnx.export");
            }
        }
    }

    private boolean isOn(NodeProto node) {
        return switch (node.getOpType()) {
            case "BatchNormalization" -> new Node(node).integer("training_mode", 0) != 0;
            case "Dropout" -> node.getInputCount() > 2 && yes.contains(node.getInput(2));
            case "Constant" -> {
                node.getAttributeList().stream()
                        .filter(AttributeProto::hasT)
                        .forEach(value -> note(node.getOutput(0), value.getT()));
                yield false;
            }
            default -> false;
        };
    }

    /** A truth value is a byte, or an int32. */
    private void note(String name, TensorProto value) {
        if (value.getDataType() == TensorProto.DataType.BOOL_VALUE
                && (value.getRawData().equals(TRUE) || value.getInt32DataList().contains(1))) {
            yes.add(name);
        }
    }
}
