/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Replaces the operators that exporters write for {@code x.view(x.size(0), -1)} by a constant target. They join the size of the
 * batch with other sizes; the batch is the same everywhere, and 0 in the target of a reshape keeps a size.
 */
final class BatchReshapes {
    private static final Set<String> OF_SIZES = Set.of("Shape", "Gather", "Unsqueeze", "Concat");

    private final GraphProto graph;
    private final Map<String, NodeProto> makers = new HashMap<>();
    private final Map<String, TensorProto> held = new HashMap<>();

    private BatchReshapes(GraphProto graph) {
        this.graph = graph;
        graph.getNodeList().forEach(node -> makers.put(node.getOutput(0), node));
        graph.getInitializerList().forEach(tensor -> held.put(tensor.getName(), tensor));
    }

    static ModelProto simplify(ModelProto model) {
        BatchReshapes reshapes = new BatchReshapes(model.getGraph());
        return model.toBuilder().setGraph(reshapes.simplified()).build();
    }

    private GraphProto simplified() {
        List<NodeProto> nodes = new ArrayList<>();
        GraphProto.Builder result = graph.toBuilder().clearNode();
        for (NodeProto node : graph.getNodeList()) {
            long[] target = node.getOpType().equals("Reshape") ? target(node) : null;
            if (target == null) {
                nodes.add(node);
            } else {
                String name = node.getOutput(0) + ".target";
                result.addInitializer(Tensors.proto(name, 1, target));
                nodes.add(node.toBuilder().setInput(1, name).build());
            }
        }
        return result.addAllNode(used(nodes)).build();
    }

    /** The target of a reshape, if it begins with the batch and is constant otherwise; null if not. */
    private long[] target(NodeProto reshape) {
        Node node = new Node(reshape);
        NodeProto joined = node.hasInput(1) ? makers.get(node.input(1)) : null;
        boolean batchFirst = joined != null
                && joined.getOpType().equals("Concat")
                && joined.getInputCount() > 0
                && batch(joined.getInput(0));
        if (!batchFirst || node.flag("allowzero")) {
            return null;
        }
        LongStream target = LongStream.of(0);
        for (int i = 1; i < joined.getInputCount(); i++) {
            TensorProto sizes = constant(joined.getInput(i));
            if (sizes == null) {
                return null;
            }
            target = LongStream.concat(target, LongStream.of(Tensors.integers(sizes)));
        }
        return target.toArray();
    }

    /** Whether a value is the size of the batch, which is the first size of another value. */
    private boolean batch(String value) {
        NodeProto maker = makers.get(unwrapped(value));
        if (maker == null) {
            return false;
        }
        Node node = new Node(maker);
        return switch (node.op()) {
            case "Shape" -> node.integer("start", 0) == 0 && node.integer("end", 0) == 1;
            case "Gather" -> node.hasInput(1) && sizes(node.input(0)) && zero(node.input(1));
            default -> false;
        };
    }

    /** A value before exporters made a list of it. */
    private String unwrapped(String value) {
        NodeProto maker = makers.get(value);
        boolean wraps = maker != null && maker.getOpType().equals("Unsqueeze") && maker.getInputCount() > 0;
        return wraps ? maker.getInput(0) : value;
    }

    /** Whether a value is the shape of another. */
    private boolean sizes(String value) {
        NodeProto maker = makers.get(value);
        return maker != null && maker.getOpType().equals("Shape") && maker.getAttributeCount() == 0;
    }

    private boolean zero(String value) {
        TensorProto index = constant(value);
        return index != null && LongStream.of(Tensors.integers(index)).allMatch(i -> i == 0);
    }

    private TensorProto constant(String value) {
        TensorProto found = held.get(unwrapped(value));
        return found != null && found.getDataType() == TensorProto.DataType.INT64_VALUE ? found : null;
    }

    /** The nodes without operators on sizes that no other operator reads any more. */
    private List<NodeProto> used(List<NodeProto> nodes) {
        Set<String> read = new HashSet<>();
        nodes.forEach(node -> read.addAll(node.getInputList()));
        graph.getOutputList().forEach(output -> read.add(output.getName()));
        List<NodeProto> kept = nodes.stream()
                .filter(node -> !OF_SIZES.contains(node.getOpType()) || read.contains(node.getOutput(0)))
                .toList();
        return kept.size() == nodes.size() ? kept : used(kept);
    }
}
