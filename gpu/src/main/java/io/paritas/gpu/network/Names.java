/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A graph without operators that change nothing: the values that they would make have the names of what they read. */
final class Names {
    private static final Set<String> NOTHING = Set.of("Identity", "Dropout");

    private final Map<String, String> same = new HashMap<>();
    private final Map<String, List<Node>> readers = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final String output;

    Names(Graph graph) {
        for (Node node : graph.nodes()) {
            if (NOTHING.contains(node.op())) {
                same.put(node.output(), of(node.input(0)));
            } else {
                places.put(node.output(), nodes.size());
                nodes.add(node);
                node.inputs().forEach(input -> readers.computeIfAbsent(of(input), name -> new ArrayList<>())
                        .add(node));
            }
        }
        output = of(graph.outputName());
    }

    /** The name of a value in the smaller graph. */
    String of(String name) {
        return same.getOrDefault(name, name);
    }

    /** The operators that are left. */
    List<Node> nodes() {
        return nodes;
    }

    /** The place of the operator that makes a value among those that are left. */
    int place(String output) {
        return places.get(output);
    }

    /** The network's output. */
    String output() {
        return output;
    }

    /** The only operator that reads a value, once; null if there is none, or the value is the network's output. */
    Node onlyReader(String name) {
        List<Node> all = readers.getOrDefault(name, List.of());
        return all.size() == 1 && !name.equals(output) ? all.get(0) : null;
    }
}
