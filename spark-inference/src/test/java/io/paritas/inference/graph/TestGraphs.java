/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.FunctionProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.SparseTensorProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.paritas.inference.ModelFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Networks for tests, sound ones and such as {@link GraphBuilder} would never build. */
public final class TestGraphs {

    private TestGraphs() {}

    /**
     * One linear layer.
     *
     * @param matrix a row for each output
     */
    public static Graph linear(float[][] matrix, float[] bias) {
        GraphBuilder builder = new GraphBuilder(matrix[0].length);
        Graph graph = builder.output(builder.linear(builder.input(), matrix.length));
        float[] values = new float[matrix.length * matrix[0].length];
        for (int i = 0; i < values.length; i++) {
            values[i] = matrix[i / matrix[0].length][i % matrix[0].length];
        }
        Weight weight = graph.weights().get("fc1.weight").with(values);
        return graph.with(List.of(weight, graph.weights().get("fc1.bias").with(bias)));
    }

    /** A convolutional network from (1, 8, 8) to (3) with random weights. */
    public static Graph small(long seed) {
        GraphBuilder builder = new GraphBuilder(1, 8, 8);
        var features = builder.relu(
                builder.batchNorm(builder.convolution(builder.input(), GraphBuilder.Convolution.same(4, 3))));
        var pooled = builder.flatten(builder.maxPool(features, 2, 2));
        return Initialisation.PYTORCH.apply(builder.output(builder.linear(builder.hidden(pooled, 8), 3)), seed);
    }

    /** The same network, exported for batches of that many rows only. */
    public static Graph fixedBatch(Graph graph, int rows) {
        return Graph.of(edited(graph, proto -> {
            batch(proto.getInputBuilder(0), rows);
            batch(proto.getOutputBuilder(0), rows);
        }));
    }

    /** A network whose output alone says for how many rows it is. */
    public static Graph fixedOutputBatch(Graph graph, int rows) {
        return Graph.of(edited(graph, proto -> batch(proto.getOutputBuilder(0), rows)));
    }

    private static void batch(ValueInfoProto.Builder value, int rows) {
        value.getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .getDimBuilder(0)
                .setDimValue(rows);
    }

    /** A model that adds its two inputs. */
    public static ModelFile twoInputs() {
        return file(GraphProto.newBuilder()
                .setName("two")
                .addInput(Tensors.value("left", List.of(2)))
                .addInput(Tensors.value("right", List.of(2)))
                .addNode(Graph.node("Add", "sum", "left", "right"))
                .addOutput(Tensors.value("sum", List.of(2))));
    }

    /** A model that gives its input twice. */
    public static ModelFile twoOutputs() {
        return file(GraphProto.newBuilder()
                .setName("two")
                .addInput(Tensors.value("input", List.of(2)))
                .addNode(Graph.node("Relu", "left", "input"))
                .addNode(Graph.node("Neg", "right", "input"))
                .addOutput(Tensors.value("left", List.of(2)))
                .addOutput(Tensors.value("right", List.of(2))));
    }

    /** A model without inputs. */
    public static ModelFile noInput() {
        return file(GraphProto.newBuilder()
                .setName("none")
                .addInitializer(Tensors.proto(new Weight("held", Weight.Role.CONSTANT, new int[] {1, 2}, new float[2])))
                .addNode(Graph.node("Relu", "output", "held"))
                .addOutput(Tensors.value("output", List.of(2))));
    }

    /** A model of int64 numbers. */
    public static ModelFile integers() {
        GraphProto.Builder graph = GraphProto.newBuilder()
                .setName("integers")
                .addInput(Tensors.value("ids", List.of(2)))
                .addNode(Graph.node("Neg", "output", "ids"))
                .addOutput(Tensors.value("output", List.of(2)));
        integer(graph.getInputBuilder(0));
        integer(graph.getOutputBuilder(0));
        return file(graph);
    }

    private static void integer(ValueInfoProto.Builder value) {
        value.getTypeBuilder().getTensorTypeBuilder().setElemType(TensorProto.DataType.INT64_VALUE);
    }

    /** A model for images of any height. */
    public static ModelFile anyHeight() {
        GraphProto.Builder graph = GraphProto.newBuilder()
                .setName("any")
                .addInput(Tensors.value("pixels", List.of(1, 8, 8)))
                .addNode(Graph.node("Relu", "output", "pixels"))
                .addOutput(Tensors.value("output", List.of(1, 8, 8)));
        any(graph.getInputBuilder(0));
        any(graph.getOutputBuilder(0));
        return file(graph);
    }

    private static void any(ValueInfoProto.Builder value) {
        value.getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .getDimBuilder(2)
                .setDimParam("height");
    }

    /** A model that makes (columns, rows) of exactly (rows, columns). */
    public static ModelFile transposed(int rows, int columns) {
        GraphProto.Builder graph = GraphProto.newBuilder()
                .setName("transposed")
                .addInput(Tensors.value("input", List.of(columns)))
                .addNode(Graph.node("Transpose", "output", "input"))
                .addOutput(Tensors.value("output", List.of(rows)));
        batch(graph.getInputBuilder(0), rows);
        batch(graph.getOutputBuilder(0), columns);
        return file(graph);
    }

    /** A model that makes as many rows of the second size as come out. */
    public static ModelFile reshaped(int from, int to) {
        return file(GraphProto.newBuilder()
                .setName("reshaped")
                .addInput(Tensors.value("input", List.of(from)))
                .addInitializer(Tensors.proto("target", 1, -1, to))
                .addNode(Graph.node("Reshape", "output", "input", "target"))
                .addOutput(Tensors.value("output", List.of(to))));
    }

    /** A network that wants more memory than there are addresses for a batch with a value above a limit. */
    public static ModelFile greedy(Graph graph, float limit) {
        ModelProto greedy = edited(graph, edit -> {
            String exact = edit.getOutput(0).getName();
            edit.addInitializer(Tensors.proto(
                            new Weight("limit", Weight.Role.CONSTANT, new int[] {1}, new float[] {limit})))
                    .addInitializer(Tensors.proto(
                            new Weight("values", Weight.Role.CONSTANT, new int[] {1}, new float[] {1e14f})))
                    .addInitializer(Tensors.proto("one", 1, 1))
                    .addNode(Graph.node("ReduceMax", "largest", edit.getInput(0).getName()))
                    .addNode(Graph.node("Sub", "over", "largest", "limit"))
                    .addNode(Graph.node("Relu", "above", "over"))
                    .addNode(Graph.node("Mul", "product", "above", "values"))
                    .addNode(Graph.node("Cast", "whole", "product")
                            .addAttribute(AttributeProto.newBuilder()
                                    .setName("to")
                                    .setType(AttributeProto.AttributeType.INT)
                                    .setI(TensorProto.DataType.INT64_VALUE)))
                    .addNode(Graph.node("Reshape", "shape", "whole", "one"))
                    .addNode(Graph.node("ConstantOfShape", "zeros", "shape"))
                    .addNode(Graph.node("ReduceSum", "sum", "zeros"))
                    .addNode(Graph.node("Add", "greedy", exact, "sum"))
                    .getOutputBuilder(0)
                    .setName("greedy");
        });
        return ModelFile.of(greedy.toByteArray());
    }

    /** A sound graph, changed by hand. */
    static ModelProto edited(Graph graph, Consumer<GraphProto.Builder> change) {
        ModelProto.Builder model = proto(graph.toModelFile()).toBuilder();
        change.accept(model.getGraphBuilder());
        return model.build();
    }

    static ModelProto proto(ModelFile file) {
        try {
            return ModelProto.parseFrom(file.bytes());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    static ModelFile file(GraphProto.Builder graph) {
        GraphBuilder builder = new GraphBuilder(1);
        ModelProto model = proto(builder.output(builder.relu(builder.input())).toModelFile());
        return ModelFile.of(model.toBuilder().setGraph(graph).build().toByteArray());
    }

    /**
     * Writes a model whose weights lie beside it, one after the other.
     *
     * @param location of the weights, as the model names it
     * @param weights where they are written
     * @param bytes how the model says where they begin and how long they are: offset and length, or neither where -1
     */
    public static void writeExternal(Graph graph, Path model, String location, Path weights, long... bytes) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        List<TensorProto> tensors = new ArrayList<>();
        for (TensorProto tensor : proto(graph.toModelFile()).getGraph().getInitializerList()) {
            long offset = bytes.length == 0 ? data.size() : bytes[0];
            long length = bytes.length == 0 ? tensor.getRawData().size() : bytes[1];
            data.writeBytes(tensor.getRawData().toByteArray());
            TensorProto.Builder outside = tensor.toBuilder().clearRawData();
            outside.setDataLocation(TensorProto.DataLocation.EXTERNAL).addExternalData(entry("location", location));
            if (offset >= 0) {
                outside.addExternalData(entry("offset", String.valueOf(offset)))
                        .addExternalData(entry("length", String.valueOf(length)));
            }
            tensors.add(outside.build());
        }
        ModelProto proto = edited(graph, edit -> edit.clearInitializer().addAllInitializer(tensors));
        try {
            Files.write(model, proto.toByteArray());
            Files.write(weights, data.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Models that have the tensor 'w' of these bytes in different places. */
    public static List<byte[]> withTensorAnywhere(byte[] values) {
        return withTensorAnywhere(TensorProto.newBuilder().setRawData(ByteString.copyFrom(values)));
    }

    /** Models that have the tensor 'w', a whole file beside them, in different places. */
    public static List<byte[]> withTensorAnywhere(String location) {
        return withTensorAnywhere(TensorProto.newBuilder()
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", location)));
    }

    private static List<byte[]> withTensorAnywhere(TensorProto.Builder tensor) {
        tensor.setName("w");
        GraphProto branch = GraphProto.newBuilder().addInitializer(tensor).build();
        NodeProto constant = node(AttributeProto.newBuilder().setName("value").setT(tensor));
        NodeProto branches =
                node(AttributeProto.newBuilder().setName("then_branch").setG(branch));
        NodeProto nested = node(AttributeProto.newBuilder()
                .setName("bodies")
                .addGraphs(GraphProto.newBuilder().addNode(branches)));
        return Stream.of(
                        ofGraph(GraphProto.newBuilder().addNode(constant)),
                        ofGraph(GraphProto.newBuilder().addNode(branches)),
                        ofGraph(GraphProto.newBuilder().addNode(nested)),
                        ofGraph(GraphProto.newBuilder()
                                .addSparseInitializer(
                                        SparseTensorProto.newBuilder().setValues(tensor))),
                        ModelProto.newBuilder()
                                .addFunctions(FunctionProto.newBuilder().addNode(constant)))
                .map(model -> model.build().toByteArray())
                .toList();
    }

    private static NodeProto node(AttributeProto.Builder attribute) {
        return NodeProto.newBuilder().addAttribute(attribute).build();
    }

    private static ModelProto.Builder ofGraph(GraphProto.Builder graph) {
        return ModelProto.newBuilder().setGraph(graph);
    }

    static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }

    /** Values that are no multiples of each other, the same each time. */
    public static float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) Math.sin(i * 1.7 + 0.3);
        }
        return values;
    }

    /** Row {@code index} of a batch. */
    public static float[] row(float[] batch, int index, int size) {
        return Arrays.copyOfRange(batch, index * size, (index + 1) * size);
    }
}
