/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import java.util.Map;

/** What one operator sees when it runs: its node, and the tensors and constants that its inputs name. */
record Operands(Node node, Graph graph, Map<String, Tensor> weights, Map<String, Tensor> values, boolean training) {

    /** An input, or null if it is optional and left out. */
    Tensor tensor(int index) {
        if (!node.hasInput(index)) {
            return null;
        }
        Tensor value = values.get(node.input(index));
        return value == null ? weights.get(node.input(index)) : value;
    }

    /** Integers, in older operator sets an attribute, in newer ones an input. */
    long[] integers(String attribute, int index, long... otherwise) {
        return node.hasInput(index) ? graph.integers(node.input(index)) : node.ints(attribute, otherwise);
    }

    /** A number, in older operator sets an attribute, in newer ones an input. */
    float number(String attribute, int index, float otherwise) {
        if (!node.hasInput(index)) {
            return node.number(attribute, otherwise);
        }
        if (!graph.weights().containsKey(node.input(index))) {
            throw new ModelException(
                    node + " can be trained only with a constant " + attribute + ", the graph computes it");
        }
        return graph.weights().get(node.input(index)).values()[0];
    }

    /** A pair (height, width). */
    long[] pair(String attribute, long otherwise) {
        return node.ints(attribute, otherwise, otherwise);
    }

    ModelException refuse(String rule) {
        return new ModelException("to train " + node + ", " + rule);
    }
}
