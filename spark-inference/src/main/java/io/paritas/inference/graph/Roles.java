/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static io.paritas.inference.graph.Weight.Role.BIAS;
import static io.paritas.inference.graph.Weight.Role.KERNEL;
import static io.paritas.inference.graph.Weight.Role.MATRIX;
import static io.paritas.inference.graph.Weight.Role.MEAN;
import static io.paritas.inference.graph.Weight.Role.SCALE;
import static io.paritas.inference.graph.Weight.Role.SHIFT;
import static io.paritas.inference.graph.Weight.Role.VARIANCE;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The roles of weights, by the operators that read them. An {@code Add} after a {@code MatMul} has that layer's bias; other
 * constants in arithmetic, such as a mean that is subtracted from pixels, are no parameters.
 */
final class Roles {
    /** The place where an operator reads a value: positions of the operator, and among its inputs. */
    record Reading(int node, int input) {}

    private final Map<Reading, Weight.Role> roles = new HashMap<>();

    private Roles() {}

    /** The role of each weight that has one. */
    static Map<String, Weight.Role> of(List<Node> nodes) {
        Map<String, Weight.Role> roles = new HashMap<>();
        ofReadings(nodes)
                .forEach((reading, role) -> roles.put(nodes.get(reading.node()).input(reading.input()), role));
        return roles;
    }

    /** The role that a weight has where it is read. */
    static Map<Reading, Weight.Role> ofReadings(List<Node> nodes) {
        Roles found = new Roles();
        Set<String> products = new HashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            switch (node.op()) {
                case "Conv" -> found.put(i, node, KERNEL, BIAS);
                case "Gemm" -> found.put(i, node, MATRIX, BIAS);
                case "MatMul" -> {
                    found.put(i, node, MATRIX);
                    products.add(node.output());
                }
                case "BatchNormalization" -> found.put(i, node, SCALE, SHIFT, MEAN, VARIANCE);
                case "Add" -> found.biasOf(i, node, products);
                default -> {}
            }
        }
        return found.roles;
    }

    private void put(int position, Node node, Weight.Role... fromSecondInput) {
        for (int i = 0; i < fromSecondInput.length; i++) {
            if (node.hasInput(i + 1)) {
                roles.put(new Reading(position, i + 1), fromSecondInput[i]);
            }
        }
    }

    private void biasOf(int position, Node add, Set<String> products) {
        for (int i = 0; i < 2; i++) {
            if (add.hasInput(1) && products.contains(add.input(i))) {
                roles.put(new Reading(position, 1 - i), BIAS);
            }
        }
    }
}
