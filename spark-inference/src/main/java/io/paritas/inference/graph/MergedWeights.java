/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import io.paritas.inference.graph.Roles.Reading;
import io.paritas.inference.graph.Weight.Role;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives layers weights of their own again, which exporters have merged because they were equal: as one, they would be trained as one.
 * A weight whose values differ among each other is left shared within a role: equal ones are equal because the network shares them. The
 * zeros and ones of a fresh network say nothing of that.
 */
final class MergedWeights {
    private final Map<String, TensorProto> weights = new HashMap<>();
    /** By weight: its names in the roles in which it has been read. */
    private final Map<String, Map<Role, String>> names = new HashMap<>();

    private final GraphProto.Builder graph;

    private MergedWeights(GraphProto graph) {
        this.graph = graph.toBuilder();
        for (TensorProto tensor : graph.getInitializerList()) {
            if (tensor.getDataType() == TensorProto.DataType.FLOAT_VALUE) {
                weights.put(tensor.getName(), tensor);
            }
        }
    }

    static ModelProto separate(ModelProto model) {
        MergedWeights merged = new MergedWeights(model.getGraph());
        List<Node> nodes =
                model.getGraph().getNodeList().stream().map(Node::new).toList();
        Map<Reading, Role> roles = Roles.ofReadings(nodes);
        for (int node = 0; node < nodes.size(); node++) {
            for (int input = 0; input < nodes.get(node).inputs().size(); input++) {
                if (merged.weights.containsKey(nodes.get(node).input(input))) {
                    merged.read(node, input, roles.getOrDefault(new Reading(node, input), Role.CONSTANT));
                }
            }
        }
        return model.toBuilder().setGraph(merged.graph).build();
    }

    private void read(int node, int input, Role role) {
        NodeProto.Builder reader = graph.getNodeBuilder(node);
        TensorProto weight = weights.get(reader.getInput(input));
        Map<Role, String> known = names.computeIfAbsent(weight.getName(), none -> new EnumMap<>(Role.class));
        boolean first = known.isEmpty();
        if (first) {
            known.put(role, weight.getName());
        } else if (!known.containsKey(role) || (role != Role.CONSTANT && !isShared(weight))) {
            String own = weight.getName() + " of " + reader.getOutput(0) + " (" + input + ")";
            graph.addInitializer(weight.toBuilder().setName(own));
            known.put(role, own);
        }
        reader.setInput(input, known.get(role));
    }

    /** Whether layers read a weight together because the network wants it, rather than because its values are usual ones. */
    private static boolean isShared(TensorProto weight) {
        float[] values = Tensors.floats(weight);
        if (values.length == 1) {
            return values[0] != 0 && values[0] != 1;
        }
        for (float value : values) {
            if (value != values[0]) {
                return true;
            }
        }
        return values.length == 0;
    }
}
