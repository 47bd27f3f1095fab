/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import java.util.Map;

/** The inputs of one operator: its node, and the values and constants that the node names. */
record Operands<V>(Node node, Graph graph, Map<String, V> weights, Map<String, V> values, Functions<V> functions) {

    /** An input; null if it is optional and left out. */
    V value(int index) {
        if (!node.hasInput(index)) {
            return null;
        }
        V value = values.getOrDefault(node.input(index), weights.get(node.input(index)));
        if (value == null) {
            throw refuse("its input '" + node.input(index) + "' must be float32, a weight or computed before");
        }
        return value;
    }

    /** Integers that are an attribute in older operator sets and an input in newer ones. */
    long[] integers(String attribute, int index) {
        return node.hasInput(index) ? graph.integers(node.input(index)) : node.ints(attribute);
    }

    /** A number that is an attribute in older operator sets and an input in newer ones. */
    float number(String attribute, int index, float otherwise) {
        if (!node.hasInput(index)) {
            return node.number(attribute, otherwise);
        }
        if (!graph.weights().containsKey(node.input(index))) {
            throw refuse("its " + attribute + " must be a constant, the graph computes it");
        }
        return graph.weights().get(node.input(index)).values()[0];
    }

    /** A pair (height, width). */
    long[] pair(String attribute) {
        return node.ints(attribute, 1, 1);
    }

    ModelException refuse(String rule) {
        return new ModelException("to run " + node + " in LibTorch, " + rule);
    }
}
