/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which operators share a launch. A product takes along what scales and shifts its channels, then one sum with another value,
 * then a function; a pool or a sum takes a function along. What is taken along is read by nobody else.
 */
final class Fusion {
    private static final Set<String> PRODUCTS = Set.of("Conv", "Gemm", "MatMul");
    private static final Set<String> FUNCTIONS = Set.of("Relu", "Clip", "Sigmoid", "Tanh");
    private static final Set<String> BEFORE_FUNCTIONS =
            Set.of("MaxPool", "AveragePool", "GlobalAveragePool", "Add", "Mul", "BatchNormalization");

    private final Map<String, Weight> weights;
    private final Map<String, List<Integer>> shapes;
    private final Names names;
    private final Set<String> taken = new HashSet<>();

    /** Operators of one launch, in their order. */
    record Group(List<Node> nodes) {
        Node head() {
            return nodes.get(0);
        }

        /** Those that the head takes along. */
        List<Node> rest() {
            return nodes.subList(1, nodes.size());
        }

        /** The name of the value that the group makes. */
        String output() {
            return nodes.get(nodes.size() - 1).output();
        }
    }

    /** What may still be taken along. */
    private enum State {
        CHANNELS,
        FUNCTION,
        NOTHING
    }

    private Fusion(Graph graph, Names names) {
        this.weights = graph.weights();
        this.shapes = graph.shapes();
        this.names = names;
    }

    /** The groups, each after those whose values it reads. */
    static List<Group> groups(Graph graph, Names names) {
        Fusion fusion = new Fusion(graph, names);
        List<Group> groups = new ArrayList<>();
        for (Node node : names.nodes()) {
            if (!fusion.taken.contains(node.output())) {
                groups.add(fusion.group(node));
            }
        }
        /* A sum that a product takes along reads a value that may be made after the product. */
        groups.sort(Comparator.comparingInt(group -> names.place(group.output())));
        return groups;
    }

    private Group group(Node head) {
        List<Node> nodes = new ArrayList<>(List.of(head));
        State state = BEFORE_FUNCTIONS.contains(head.op()) ? State.FUNCTION : State.NOTHING;
        state = PRODUCTS.contains(head.op()) ? State.CHANNELS : state;
        Node last = head;
        while (state != State.NOTHING) {
            Node next = names.onlyReader(last.output());
            if (next == null || taken.contains(next.output()) || !fits(state, head, last, next)) {
                break;
            }
            if (FUNCTIONS.contains(next.op())) {
                state = State.NOTHING;
            } else if (isSumOfValues(last, next)) {
                state = State.FUNCTION;
            }
            taken.add(next.output());
            nodes.add(next);
            last = next;
        }
        return new Group(nodes);
    }

    private boolean fits(State state, Node head, Node last, Node next) {
        if (FUNCTIONS.contains(next.op())) {
            return true;
        }
        return state == State.CHANNELS && (isOfChannels(head, last, next) || isSumOfValues(last, next));
    }

    /** Whether an operator scales or shifts the channels of a product. */
    private boolean isOfChannels(Node head, Node last, Node next) {
        List<Integer> row = shapes.get(last.output());
        int axis = channelAxis(head, row);
        if (next.op().equals("BatchNormalization")) {
            return axis == 0;
        }
        Weight constant = weights.get(other(last, next));
        return (next.op().equals("Add") || next.op().equals("Mul"))
                && constant != null
                && shapes.get(next.output()).equals(row)
                && Channels.vector(constant, row, axis).isPresent();
    }

    private boolean isSumOfValues(Node last, Node next) {
        List<Integer> row = shapes.get(last.output());
        return next.op().equals("Add")
                && row.equals(shapes.get(other(last, next)))
                && row.equals(shapes.get(next.output()));
    }

    /** The operand of a sum or a product that is not the one made by the last operator. */
    private String other(Node last, Node next) {
        int own = names.of(next.input(0)).equals(last.output()) ? 0 : 1;
        return next.inputs().size() > 1 ? names.of(next.input(1 - own)) : "";
    }

    /** Which size of a row counts the channels of a product. */
    static int channelAxis(Node head, List<Integer> row) {
        return head.op().equals("Conv") ? 0 : row.size() - 1;
    }
}
