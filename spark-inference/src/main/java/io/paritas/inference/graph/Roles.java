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
    private final Map<String, Weight.Role> roles = new HashMap<>();

    private Roles() {}

    static Map<String, Weight.Role> of(List<Node> nodes) {
        Roles found = new Roles();
        Set<String> products = new HashSet<>();
        for (Node node : nodes) {
            switch (node.op()) {
                case "Conv" -> found.put(node, KERNEL, BIAS);
                case "Gemm" -> found.put(node, MATRIX, BIAS);
                case "MatMul" -> {
                    found.put(node, MATRIX);
                    products.add(node.output());
                }
                case "BatchNormalization" -> found.put(node, SCALE, SHIFT, MEAN, VARIANCE);
                case "Add" -> found.biasOf(node, products);
                default -> {}
            }
        }
        return found.roles;
    }

    private void put(Node node, Weight.Role... fromSecondInput) {
        for (int i = 0; i < fromSecondInput.length; i++) {
            if (node.hasInput(i + 1)) {
                roles.put(node.input(i + 1), fromSecondInput[i]);
            }
        }
    }

    private void biasOf(Node add, Set<String> products) {
        for (int i = 0; i < 2; i++) {
            if (add.hasInput(1) && products.contains(add.input(i))) {
                roles.put(add.input(1 - i), BIAS);
            }
        }
    }
}
