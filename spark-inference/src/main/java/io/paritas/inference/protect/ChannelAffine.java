/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A normalisation, or arithmetic with a constant, as an affine map of each channel: x · scale + shift. */
record ChannelAffine(float[] scale, float[] shift) {

    /**
     * The map of a node.
     *
     * @param computed whether a name is a computed value, not a constant
     * @return empty if the node is something else
     */
    static Optional<ChannelAffine> of(Graph graph, Node node, Predicate<String> computed, int channels) {
        return switch (node.op()) {
            case "BatchNormalization" -> Optional.of(normalisation(graph, node));
            case "Add", "Sub", "Mul", "Div" -> arithmetic(graph, node, computed, channels);
            default -> Optional.empty();
        };
    }

    private static ChannelAffine normalisation(Graph graph, Node node) {
        float[] gamma = values(graph, node, 1);
        float[] beta = values(graph, node, 2);
        float[] mean = values(graph, node, 3);
        float[] variance = values(graph, node, 4);
        double epsilon = node.number("epsilon", 1e-5f);
        float[] scale = new float[gamma.length];
        float[] shift = new float[gamma.length];
        for (int c = 0; c < scale.length; c++) {
            double factor = gamma[c] / Math.sqrt(variance[c] + epsilon);
            scale[c] = (float) factor;
            shift[c] = (float) (beta[c] - mean[c] * factor);
        }
        return new ChannelAffine(scale, shift);
    }

    private static float[] values(Graph graph, Node node, int input) {
        return graph.weights().get(node.input(input)).values();
    }

    private static Optional<ChannelAffine> arithmetic(
            Graph graph, Node node, Predicate<String> computed, int channels) {
        int value = computed.test(node.input(0)) ? 0 : 1;
        Weight held = graph.weights().get(node.input(1 - value));
        boolean ordered = node.op().equals("Add") || node.op().equals("Mul") || value == 0;
        if (held == null
                || !computed.test(node.input(value))
                || !ordered
                || !fits(graph, node, held, value, channels)) {
            return Optional.empty();
        }
        float[] scale = new float[channels];
        float[] shift = new float[channels];
        Arrays.fill(scale, 1);
        for (int c = 0; c < channels; c++) {
            float constant = held.values()[held.size() == 1 ? 0 : c];
            switch (node.op()) {
                case "Add" -> shift[c] = constant;
                case "Sub" -> shift[c] = -constant;
                case "Mul" -> scale[c] = constant;
                default -> scale[c] = 1 / constant;
            }
        }
        return Optional.of(new ChannelAffine(scale, shift));
    }

    /** Whether the constant is one number or one for each channel, of which it makes no more. */
    private static boolean fits(Graph graph, Node node, Weight held, int value, int channels) {
        if (held.size() == 1) {
            return true;
        }
        List<Integer> row = graph.shapes().get(node.input(value));
        if (row.get(0) != channels) {
            return false;
        }
        int behind = row.size() - 1;
        int[] shape = held.shape();
        int at = shape.length - 1 - behind;
        return held.size() == channels && at >= 0 && shape[at] == channels;
    }
}
