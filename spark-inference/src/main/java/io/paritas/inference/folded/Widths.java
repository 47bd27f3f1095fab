/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The constraints on the channel counts of a network: which values must have equal counts, by what counts must be divisible, and
 * which layers make the output.
 */
final class Widths {
    private final Map<String, List<Integer>> shapes;
    private final Map<String, String> parents = new HashMap<>();
    private final Map<String, Integer> divisors = new HashMap<>();
    private final Set<Node> last = new HashSet<>();

    Widths(Graph graph, Map<String, List<Integer>> shapes) {
        this.shapes = shapes;
        graph.nodes().forEach(this::tie);
        List<Node> backwards = new ArrayList<>(graph.nodes());
        Collections.reverse(backwards);
        Set<String> made = new HashSet<>(Set.of(graph.outputName()));
        for (Node node : backwards) {
            divide(node);
            if (made.contains(node.output())) {
                if (mixes(node)) {
                    last.add(node);
                } else {
                    made.addAll(node.inputs());
                }
            }
        }
    }

    /** The number by which the channels of a value must be divisible. */
    int divisor(String value) {
        return divisors.getOrDefault(find(value), 1);
    }

    /** Whether no other layer lies between this layer and the output. */
    boolean last(Node node) {
        return last.contains(node);
    }

    /** Whether an operator computes new channels from all input channels (of a group). */
    boolean mixes(Node node) {
        return switch (node.op()) {
            case "Conv" -> !depthwise(node);
            case "Gemm", "MatMul" -> true;
            default -> false;
        };
    }

    /** Whether a convolution works on each channel alone. */
    boolean depthwise(Node node) {
        long groups = node.integer("group", 1);
        return node.op().equals("Conv")
                && groups > 1
                && groups == shapes.get(node.input(0)).get(0);
    }

    private void tie(Node node) {
        if (mixes(node)) {
            return;
        }
        for (String input : node.inputs()) {
            boolean sameChannels = shapes.containsKey(input)
                    && (shapes.get(input)
                                    .get(0)
                                    .equals(shapes.get(node.output()).get(0))
                            || depthwise(node));
            if (sameChannels) {
                parents.put(find(input), find(node.output()));
            }
        }
    }

    /** Propagates divisors from outputs to inputs; called from the end of the network to its start. */
    private void divide(Node node) {
        if (node.op().equals("Conv") && !depthwise(node)) {
            int groups = Math.toIntExact(node.integer("group", 1));
            divide(node.input(0), groups);
            divide(node.output(), groups);
        } else if (node.op().equals("Reshape")) {
            int before = shapes.get(node.input(0)).get(0);
            int after = shapes.get(node.output()).get(0);
            if (before > after && before % after == 0) {
                divide(node.input(0), Math.multiplyExact(before / after, divisor(node.output())));
            }
        }
    }

    private void divide(String value, int by) {
        divisors.merge(find(value), by, FoldOptions::lcm);
    }

    private String find(String value) {
        String parent = parents.get(value);
        return parent == null || parent.equals(value) ? value : find(parent);
    }
}
