/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.FunctionProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.ModelFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Graphs as exporters write them: any operator with any attributes. */
public final class RawGraph {
    private final GraphProto.Builder graph = GraphProto.newBuilder().setName("raw");
    private final int opset;
    private final List<FunctionProto> functions = new ArrayList<>();
    private NodeProto.Builder node;

    private RawGraph(int opset, Integer... shape) {
        this.opset = opset;
        graph.addInput(Tensors.value("input", List.of(shape)));
    }

    public static RawGraph of(Integer... shape) {
        return new RawGraph(17, shape);
    }

    public static RawGraph withOpset(int opset, Integer... shape) {
        return new RawGraph(opset, shape);
    }

    /** Fixes the number of rows. */
    public RawGraph batch(int rows) {
        TensorShapeProto.Builder shape =
                graph.getInputBuilder(0).getTypeBuilder().getTensorTypeBuilder().getShapeBuilder();
        shape.getDimBuilder(0).clearDimParam().setDimValue(rows);
        return this;
    }

    /** A weight with the values 1, 2, 3, …. */
    public RawGraph weight(String name, int... shape) {
        float[] values = new float[Weight.size(shape)];
        for (int i = 0; i < values.length; i++) {
            values[i] = i + 1;
        }
        graph.addInitializer(Tensors.proto(new Weight(name, Weight.Role.CONSTANT, shape, values)));
        return this;
    }

    /** A weight with one value everywhere. */
    public RawGraph filled(String name, float value, int... shape) {
        float[] values = new float[Weight.size(shape)];
        Arrays.fill(values, value);
        graph.addInitializer(Tensors.proto(new Weight(name, Weight.Role.CONSTANT, shape, values)));
        return this;
    }

    public RawGraph integers(String name, long... values) {
        graph.addInitializer(Tensors.proto(name, 1, values));
        return this;
    }

    /** An integer without dimensions. */
    RawGraph integer(String name, long value) {
        graph.addInitializer(Tensors.proto(name, 0, value));
        return this;
    }

    /** A truth value. */
    public RawGraph truth(String name, boolean value) {
        graph.addInitializer(TensorProto.newBuilder()
                .setName(name)
                .setDataType(TensorProto.DataType.BOOL_VALUE)
                .addInt32Data(value ? 1 : 0));
        return this;
    }

    /** An operator; its attributes follow. */
    public RawGraph node(String op, String output, String... inputs) {
        finishNode();
        node = Graph.node(op, output, inputs);
        return this;
    }

    /** Gives the last operator other outputs; an empty name is one that is left out. */
    public RawGraph outputs(String... outputs) {
        node.clearOutput().addAllOutput(List.of(outputs));
        return this;
    }

    /** Gives the last operator, an {@code If}, two branches that are both the operators of another graph. */
    public RawGraph branches(RawGraph branch) {
        branch.finishNode();
        String output = branch.graph.getNode(branch.graph.getNodeCount() - 1).getOutput(0);
        branch.output(output);
        branch.graph.clearInput();
        for (String name : List.of("then_branch", "else_branch")) {
            node.addAttribute(AttributeProto.newBuilder()
                    .setName(name)
                    .setType(AttributeProto.AttributeType.GRAPH)
                    .setG(branch.graph));
        }
        return this;
    }

    /** Gives the last operator a domain. */
    public RawGraph domain(String domain) {
        node.setDomain(domain);
        return this;
    }

    /** A function of the model: an operator of one input and one output that is another one. */
    public RawGraph function(String domain, String name, String op) {
        functions.add(FunctionProto.newBuilder()
                .setDomain(domain)
                .setName(name)
                .addInput("x")
                .addOutput("y")
                .addNode(Graph.node(op, "y", "x"))
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(opset))
                .build());
        return this;
    }

    public RawGraph set(String attribute, long value) {
        node.addAttribute(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value));
        return this;
    }

    public RawGraph list(String attribute, Long... values) {
        node.addAttribute(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.INTS)
                .addAllInts(Arrays.asList(values)));
        return this;
    }

    public RawGraph number(String attribute, float value) {
        node.addAttribute(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.FLOAT)
                .setF(value));
        return this;
    }

    public RawGraph text(String attribute, String value) {
        node.addAttribute(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.STRING)
                .setS(ByteString.copyFromUtf8(value)));
        return this;
    }

    /** The graph, whose output is that of its last operator. */
    public Graph build() {
        finishNode();
        return build(graph.getNode(graph.getNodeCount() - 1).getOutput(0));
    }

    /** The graph with that output. */
    public Graph build(String output) {
        finishNode();
        output(output);
        return Graph.of(model());
    }

    private void output(String name) {
        graph.addOutput(Tensors.value(name, List.of()));
        graph.getOutputBuilder(0).getTypeBuilder().getTensorTypeBuilder().clearShape();
    }

    /** As read from a file: simplified. */
    public Graph read() {
        return Graph.of(file());
    }

    /** The file, whose output is that of its last operator. */
    public ModelFile file() {
        finishNode();
        output(graph.getNode(graph.getNodeCount() - 1).getOutput(0));
        return ModelFile.of(model().toByteArray());
    }

    private ModelProto model() {
        ModelProto.Builder model = ModelProto.newBuilder()
                .setIrVersion(8)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(opset))
                .addAllFunctions(functions)
                .setGraph(graph);
        Stream.concat(
                        graph.getNodeList().stream().map(NodeProto::getDomain),
                        functions.stream().map(FunctionProto::getDomain))
                .filter(domain -> !domain.isEmpty())
                .distinct()
                .forEach(domain -> model.addOpsetImport(
                        OperatorSetIdProto.newBuilder().setDomain(domain).setVersion(1)));
        return model.build();
    }

    private void finishNode() {
        if (node != null) {
            graph.addNode(node);
            node = null;
        }
    }
}
