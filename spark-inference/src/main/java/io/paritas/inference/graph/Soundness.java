/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.FunctionProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.SparseTensorProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import io.paritas.inference.ModelException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What must hold of a model before its operators are looked at: they are ONNX's own, for the name of an operator says nothing in
 * another domain, and every value is made once, before it is read.
 */
final class Soundness {
    private final Set<String> functions = new HashSet<>();
    /** By value: what makes it. */
    private final Map<String, String> makers = new HashMap<>();

    private Soundness() {}

    /** @throws ModelException if the model is none that Paritas can compute; the message names the operator */
    static void require(ModelProto model) {
        Soundness sound = new Soundness();
        for (FunctionProto function : model.getFunctionsList()) {
            sound.functions.add(name(function.getDomain(), function.getName()));
        }
        GraphProto graph = model.getGraph();
        requireOutputs(graph);
        for (TensorProto tensor : graph.getInitializerList()) {
            sound.make(tensor.getName(), "a weight");
        }
        for (SparseTensorProto tensor : graph.getSparseInitializerList()) {
            sound.make(tensor.getValues().getName(), "a weight");
        }
        for (ValueInfoProto input : graph.getInputList()) {
            sound.makers.putIfAbsent(input.getName(), "an input"); // weights may be inputs, too
        }
        graph.getNodeList().forEach(sound::follow);
    }

    /** @throws ModelException if an operator has no output, or leaves out its first one */
    static void requireOutputs(GraphProto graph) {
        for (NodeProto node : graph.getNodeList()) {
            if (node.getOutputList().stream().allMatch(String::isEmpty)) {
                throw new ModelException(
                        "every operator must have an output, " + text(node) + " has none: the model is damaged");
            }
            if (node.getOutput(0).isEmpty()) {
                throw new ModelException("every operator of a network must have its first output, " + text(node)
                        + " leaves it out and has " + node.getOutputList() + ": only run it, with onnxruntime");
            }
        }
    }

    private void follow(NodeProto node) {
        String name = name(node.getDomain(), node.getOpType());
        if (functions.contains(name)) {
            throw new ModelException("the operators of a network must be ONNX's own, got " + text(node)
                    + ", a function of the model: inline its functions with onnx.inliner, or only run it, with"
                    + " onnxruntime");
        }
        if (!name.equals(node.getOpType())) {
            throw new ModelException("the operators of a network must be ONNX's own, got " + text(node)
                    + ": export it with ONNX's operators, or only run it, with onnxruntime");
        }
        for (String input : node.getInputList()) {
            if (!input.isEmpty() && !makers.containsKey(input)) {
                throw new ModelException("every value of a network must be made before it is read, " + text(node)
                        + " reads '" + input + "': the model is damaged");
            }
        }
        for (String output : node.getOutputList()) {
            if (!output.isEmpty()) {
                make(output, text(node));
            }
        }
    }

    private void make(String value, String maker) {
        String other = makers.put(value, maker);
        if (other != null) {
            throw new ModelException("every value of a network must be made once, '" + value + "' is made by " + other
                    + " and by " + maker + ": the model is damaged");
        }
    }

    /** The name of an operator, with its domain if that is not ONNX's own. */
    private static String name(String domain, String op) {
        return Graph.isOwn(domain) ? op : domain + "." + op;
    }

    /** Operator and name for messages. */
    static String text(NodeProto node) {
        boolean isNamed = !node.getName().isEmpty() || node.getOutputCount() == 0;
        return name(node.getDomain(), node.getOpType()) + " '" + (isNamed ? node.getName() : node.getOutput(0)) + "'";
    }
}
