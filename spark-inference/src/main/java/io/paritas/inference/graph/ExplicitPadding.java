/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.GraphProto;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Gives windows with {@code auto_pad} their padding in pixels, as far as shapes are known. PyTorch writes {@code SAME_UPPER} for
 * {@code padding='same'}.
 */
final class ExplicitPadding {
    private static final String AUTOMATIC = "auto_pad";

    private ExplicitPadding() {}

    static boolean isNeeded(Graph graph) {
        return graph.nodes().stream().anyMatch(node -> node.has(AUTOMATIC));
    }

    /** The operators of a graph with padding in pixels. */
    static GraphProto simplify(GraphProto proto, Graph graph) {
        Map<String, List<Integer>> shapes = Shapes.known(graph.input(), graph.nodes(), Shapes.Constants.of(graph));
        GraphProto.Builder result = proto.toBuilder().clearNode();
        for (Node node : graph.nodes()) {
            boolean isKnown = node.has(AUTOMATIC) && shapes.containsKey(node.output());
            result.addNode((isKnown ? explicit(node, shapes.get(node.input(0)), window(node, graph)) : node).proto());
        }
        return result.build();
    }

    private static Node explicit(Node node, List<Integer> in, int[] window) {
        return node.without(AUTOMATIC).with("pads", Windows.pads(node, in, window));
    }

    private static int[] window(Node node, Graph graph) {
        if (node.op().equals("Conv")) {
            int[] kernel = graph.weights().get(node.input(1)).shape();
            return Arrays.copyOfRange(kernel, 2, kernel.length);
        }
        return Arrays.stream(node.ints("kernel_shape"))
                .mapToInt(Math::toIntExact)
                .toArray();
    }
}
