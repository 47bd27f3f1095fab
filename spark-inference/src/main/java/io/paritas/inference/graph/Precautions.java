/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What is refused before ONNX Runtime runs it, which runs whole models as they are: a model in training mode, and pools that leave
 * nothing of an image. In layouts of blocked channels, ONNX Runtime 1.28 divides by the number of their pixels, which ends the process.
 * Convolutions that leave nothing are exceptions there.
 */
public final class Precautions {
    private static final Set<String> POOLS = Set.of("MaxPool", "AveragePool");

    private final ModelProto model;
    /** Pools whose images are not known, by their output. */
    private final Map<String, NodeProto> pools = new LinkedHashMap<>();

    private Precautions(ModelProto model) {
        this.model = model;
    }

    /**
     * Looks at a model.
     *
     * @throws ModelException if the model must not run; the message names the operator
     */
    public static Precautions of(byte[] onnx) {
        ModelProto model;
        try {
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(onnx).newCodedInput();
            in.enableAliasing(true); // weights are not copied
            model = ModelProto.parseFrom(in);
        } catch (IOException e) {
            return new Precautions(ModelProto.getDefaultInstance()); // ONNX Runtime says what it is
        }
        TrainingMode.refuse(model);
        Precautions precautions = new Precautions(model);
        precautions.findPools();
        return precautions;
    }

    private void findPools() {
        if (!havePools(model.getGraph())) {
            return;
        }
        Set<String> known = known(model);
        for (NodeProto node : model.getGraph().getNodeList()) {
            if (isPool(node) && node.getOutputCount() > 0 && !known.contains(node.getOutput(0))) {
                pools.put(node.getOutput(0), node);
            }
        }
    }

    /** Outputs of pools that may leave nothing: they must be looked at once, in a session without layouts of blocked channels. */
    public Set<String> unknown() {
        return Collections.unmodifiableSet(pools.keySet());
    }

    /** Unknown outputs that are no outputs of the graph. */
    public Set<String> added() {
        Set<String> added = new LinkedHashSet<>(pools.keySet());
        model.getGraph().getOutputList().forEach(output -> added.remove(output.getName()));
        return added;
    }

    /** The model with the unknown outputs as outputs of the graph, too. */
    public byte[] withUnknown() {
        ModelProto.Builder more = model.toBuilder();
        added().forEach(name ->
                more.getGraphBuilder().addOutput(ValueInfoProto.newBuilder().setName(name)));
        return more.build().toByteArray();
    }

    /** @throws ModelException if an unknown output turns out to be empty */
    public void requireImage(String output, long[] shape) {
        if (LongStream.of(shape).anyMatch(size -> size < 1)) {
            throw new ModelException("an image must not become empty, " + Soundness.text(pools.get(output)) + " makes "
                    + LongStream.of(shape).skip(1).boxed().toList() + ": use larger images");
        }
    }

    /** Whether there are pools that cannot be looked at: there must be no layouts of blocked channels. */
    public boolean hasHiddenPools() {
        return Stream.concat(
                        model.getFunctionsList().stream().flatMap(function -> function.getNodeList().stream()),
                        model.getGraph().getNodeList().stream().flatMap(Precautions::inner))
                .anyMatch(Precautions::hasPool);
    }

    private static boolean havePools(GraphProto graph) {
        return graph.getNodeList().stream().anyMatch(Precautions::isPool);
    }

    private static boolean isPool(NodeProto node) {
        return POOLS.contains(node.getOpType()) && Graph.isOwn(node.getDomain());
    }

    private static boolean hasPool(NodeProto node) {
        return isPool(node) || inner(node).anyMatch(Precautions::hasPool);
    }

    /** The operators of branches and loops. */
    private static Stream<NodeProto> inner(NodeProto node) {
        return node.getAttributeList().stream()
                .flatMap(value -> Stream.concat(Stream.of(value.getG()), value.getGraphsList().stream()))
                .flatMap(graph -> graph.getNodeList().stream());
    }

    /** Values whose shapes can be told. */
    private static Set<String> known(ModelProto model) {
        Map<String, TensorProto> held = new HashMap<>();
        List<Node> nodes;
        TensorSpec input;
        long opset;
        try {
            Soundness.requireOutputs(model.getGraph());
            GraphProto graph =
                    BatchReshapes.simplify(Simplifier.simplify(model)).getGraph();
            input = Graph.input(graph);
            opset = Graph.opset(model);
            graph.getInitializerList().forEach(tensor -> held.put(tensor.getName(), tensor));
            nodes = graph.getNodeList().stream()
                    .filter(node -> Graph.isOwn(node.getDomain()))
                    .map(Node::new)
                    .filter(node -> !mayJoinRows(node, held))
                    .toList();
        } catch (ModelException e) {
            return Set.of();
        }
        return Shapes.known(
                        input,
                        nodes,
                        new Shapes.Constants(opset, name -> shape(held.get(name)), name -> integers(held.get(name))))
                .keySet();
    }

    /** Whether a reshape has another number of rows than its input, perhaps: it names one, and leaves a row's size open. */
    private static boolean mayJoinRows(Node node, Map<String, TensorProto> held) {
        if (!node.op().equals("Reshape") || !node.hasInput(1) || !held.containsKey(node.input(1))) {
            return false;
        }
        long[] target = Tensors.integers(held.get(node.input(1)));
        return target.length > 0 && target[0] > 0 && LongStream.of(target).anyMatch(size -> size == -1);
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
