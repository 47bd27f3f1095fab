/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is refused before ONNX Runtime sees it, which runs whole models as they are: a model in training mode, and images of which a
 * convolution or a pool leaves nothing. ONNX Runtime 1.28 divides by the number of their pixels, which ends the process.
 */
public final class Precautions {

    private Precautions() {}

    /**
     * Looks at a model. What cannot be parsed or told is left to ONNX Runtime.
     *
     * @throws ModelException if the model must not run; the message names the operator
     */
    public static void require(byte[] onnx) {
        ModelProto model;
        try {
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(onnx).newCodedInput();
            in.enableAliasing(true); // weights are not copied
            model = ModelProto.parseFrom(in);
        } catch (IOException e) {
            return;
        }
        TrainingMode.refuse(model);
        requireImages(model);
    }

    private static void requireImages(ModelProto model) {
        GraphProto graph;
        TensorSpec input;
        long opset;
        try {
            Soundness.requireOutputs(model.getGraph());
            graph = BatchReshapes.simplify(Simplifier.simplify(model)).getGraph();
            input = Graph.input(graph);
            opset = Graph.opset(model);
        } catch (ModelException e) {
            return;
        }
        Map<String, TensorProto> held = new HashMap<>();
        graph.getInitializerList().forEach(tensor -> held.put(tensor.getName(), tensor));
        List<Node> nodes = graph.getNodeList().stream()
                .filter(node -> Graph.isOwn(node.getDomain()))
                .map(Node::new)
                .toList();
        Shapes.known(
                input,
                nodes,
                new Shapes.Constants(opset, name -> shape(held.get(name)), name -> integers(held.get(name))));
    }

    private static int[] shape(TensorProto tensor) {
        return tensor == null || tensor.getDataType() != TensorProto.DataType.FLOAT_VALUE
                ? null
                : Tensors.shape(tensor);
    }

    private static long[] integers(TensorProto tensor) {
        if (tensor == null) {
            throw new ModelException("the graph computes these integers");
        }
        return Tensors.integers(tensor);
    }
}
