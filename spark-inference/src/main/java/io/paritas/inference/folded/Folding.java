/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Folds a network (thesis, 9.4): f times the channels of the input, f times the outputs, √f times the channels between. The first
 * image of a stack is the first 1/f of the channels, its scores are the first 1/f of the outputs.
 *
 * <p>Follows the channels through every graph whose operators {@link Graph#shapes} knows. Operators that mix the images of a stack
 * without learning to, such as a softmax of the output, are refused.
 */
public final class Folding {
    private final Graph graph;
    private final FoldOptions options;
    private final Map<String, List<Integer>> shapes;
    private final Widths widths;

    /** Channels of every value of the folded network; other sizes stay. */
    private final Map<String, Integer> channels = new HashMap<>();
    /** Values that have a part for each image, as the input does. */
    private final Set<String> stacked = new HashSet<>();

    private final Replacements replacements;

    private Folding(Graph graph, FoldOptions options) {
        this.graph = graph;
        this.options = options;
        this.shapes = graph.shapes();
        shapes.forEach(Folding::requireChannels);
        this.widths = new Widths(graph, shapes);
        this.replacements = new Replacements(graph);
    }

    private static void requireChannels(String value, List<Integer> shape) {
        if (shape.isEmpty()) {
            throw new ModelException(
                    "every value must have channels to be folded, the rows of '" + value
                            + "' are single numbers: keep the dimension where the network takes a mean (keepdims), or only run it");
        }
    }

    /**
     * The folded network. Its weights are zero (variances and scales one) until an
     * {@link io.paritas.inference.graph.Initialisation} fills them; constants keep their values, repeated for each image. For a
     * fold and a multiplier of 1 it is the graph itself, with its weights.
     *
     * @throws ModelException if the network cannot be folded; the message names the operator and what to do
     */
    public static Graph fold(Graph graph, FoldOptions options) {
        return options.unchanged() ? graph : new Folding(graph, options).fold();
    }

    private Graph fold() {
        String input = graph.input().name();
        channels.put(input, options.fold() * graph.input().shape().get(0));
        stacked.add(input);
        graph.nodes().forEach(this::follow);
        if (!stacked.contains(graph.outputName())) {
            throw new ModelException("the output must have its scores image by image, but '" + graph.outputName()
                    + "' joins values of several layers: let one linear layer make all scores");
        }
        Graph folded = replacements
                .edit()
                .inputShape(shape(input))
                .outputShape(shape(graph.outputName()))
                .build();
        verify(folded);
        return folded;
    }

    private void verify(Graph folded) {
        folded.shapes().forEach((value, shape) -> {
            if (!shape.equals(shape(value))) {
                throw new ModelException("'" + value + "' should have the shape " + shape(value) + " when folded, not "
                        + shape + ": this is a bug, please report it with the model");
            }
        });
    }

    /** Shape of a value in the folded network. */
    private List<Integer> shape(String value) {
        List<Integer> shape = new ArrayList<>(shapes.get(value));
        shape.set(0, channels.get(value));
        return shape;
    }

    private void follow(Node node) {
        switch (node.op()) {
            case "Conv" -> convolution(node);
            case "Gemm", "MatMul" -> linear(node);
            case "BatchNormalization" -> normalisation(node);
            case "Add", "Sub", "Mul", "Div" -> arithmetic(node);
            case "Flatten" -> give(node, size(shape(node.input(0))), stacked.contains(node.input(0)));
            case "Reshape" -> reshape(node);
            case "Concat" -> concat(node);
            case "ReduceMean", "Pad" -> spatial(node);
            case "Relu",
                    "LeakyRelu",
                    "Clip",
                    "Sigmoid",
                    "Tanh",
                    "Dropout",
                    "Identity",
                    "MaxPool",
                    "AveragePool",
                    "GlobalAveragePool" -> keep(node);
            case "Softmax" ->
                throw refused(node, "would mix the scores of the " + options.fold() + " images: export raw scores");
            default -> throw refused(node, "is an operator that folding does not know");
        }
    }

    private void give(Node node, int count, boolean imageByImage) {
        channels.put(node.output(), count);
        if (imageByImage) {
            stacked.add(node.output());
        }
    }

    private void keep(Node node) {
        give(node, channels.get(node.input(0)), stacked.contains(node.input(0)));
    }

    private void convolution(Node node) {
        int[] kernel = graph.weights().get(node.input(1)).shape().clone();
        int in = channels.get(node.input(0));
        int count = Math.toIntExact(node.integer("group", 1));
        if (widths.depthwise(node)) {
            give(node, kernel[0] / count * in, stacked.contains(node.input(0)));
            replacements.attribute(node, "group", in);
            kernel[1] = 1;
        } else {
            layer(node);
            if (in % count != 0) {
                throw refused(
                        node,
                        "has " + count + " groups, which cannot share the " + in
                                + " channels that arrive: choose another multiplier");
            }
            kernel[1] = in / count;
        }
        kernel[0] = channels.get(node.output());
        replacements.resized(node.input(1), kernel);
        if (node.hasInput(2)) {
            replacements.resized(node.input(2), kernel[0]);
        }
    }

    /** Sets the channels of a layer: f times the outputs for the last layers, those of the options for all others. */
    private void layer(Node node) {
        int original = shapes.get(node.output()).get(0);
        if (widths.last(node)) {
            give(node, options.fold() * original, true);
        } else {
            give(node, options.channels(original, widths.divisor(node.output())), false);
        }
    }

    private void linear(Node node) {
        if (shapes.get(node.input(0)).size() != 1) {
            throw refused(node, "multiplies rows of an image instead of its channels");
        }
        layer(node);
        int in = channels.get(node.input(0));
        int out = channels.get(node.output());
        if (node.op().equals("Gemm") && node.flag("transB")) {
            replacements.resized(node.input(1), out, in);
        } else {
            replacements.resized(node.input(1), in, out);
        }
        if (node.hasInput(2)) {
            bias(node, node.input(2));
        }
    }

    private void normalisation(Node node) {
        keep(node);
        for (int i = 1; i <= 4; i++) {
            replacements.resized(node.input(i), channels.get(node.output()));
        }
    }

    /** Arithmetic of two values, or of a value and a constant. */
    private void arithmetic(Node node) {
        List<String> values =
                node.inputs().stream().filter(channels::containsKey).toList();
        if (values.size() == 2) {
            equal(node, values);
            give(node, channels.get(values.get(0)), stacked.containsAll(values));
            return;
        }
        String value = values.get(0);
        if (!shapes.get(value).get(0).equals(shapes.get(node.output()).get(0))) {
            throw refused(node, "makes more channels out of " + shapes.get(value));
        }
        give(node, channels.get(value), stacked.contains(value));
        Weight held = graph.weights().get(node.input(node.input(0).equals(value) ? 1 : 0));
        if (held.role() == Weight.Role.BIAS) {
            bias(node, held.name());
        } else if (perChannel(held, shapes.get(value).size())) {
            constant(node, value, held);
        }
    }

    private void equal(Node node, List<String> values) {
        List<Integer> original =
                values.stream().map(value -> shapes.get(value).get(0)).toList();
        List<Integer> folded = values.stream().map(channels::get).toList();
        if (!original.get(0).equals(original.get(1)) || !folded.get(0).equals(folded.get(1))) {
            throw refused(
                    node,
                    "joins values of " + original + " channels, which folding would make " + folded
                            + ": both must come from layers inside the network with equal channels");
        }
    }

    /** A constant for each channel of the images, repeated for each image. */
    private void constant(Node node, String value, Weight held) {
        if (!stacked.contains(value)) {
            throw refused(
                    node,
                    "has a constant '" + held.name() + "' for each channel, and folding changes what"
                            + " channels there are: make it a parameter of a normalisation, or a single number");
        }
        replacements.repeated(held, held.shape().length - shapes.get(value).size(), options.fold());
    }

    private static boolean perChannel(Weight held, int rank) {
        int[] shape = held.shape();
        return shape.length >= rank && shape[shape.length - rank] > 1;
    }

    private void reshape(Node node) {
        int[] rest = shapes.get(node.output()).stream()
                .skip(1)
                .mapToInt(Integer::intValue)
                .toArray();
        int inside = Arrays.stream(rest).reduce(1, Math::multiplyExact);
        int values = size(shape(node.input(0)));
        if (values % inside != 0) {
            throw refused(
                    node,
                    "makes " + shapes.get(node.output()) + " of rows, which would have " + values
                            + " values: choose another multiplier");
        }
        give(node, values / inside, stacked.contains(node.input(0)));
        long[] target = graph.integers(node.input(1)).clone();
        if (target[0] > 0 && !node.flag("allowzero")) {
            target[0] = 0;
        }
        if (target[1] > 0) {
            target[1] = values / inside;
        } else if (target[1] == 0 && values / inside != channels.get(node.input(0))) {
            throw refused(node, "copies the channels of " + shapes.get(node.input(0)) + " and then changes them");
        }
        replacements.integers(node.input(1), target);
    }

    private void concat(Node node) {
        boolean ofChannels = node.integer("axis", 1) == 1
                || node.integer("axis", 1) == -shapes.get(node.output()).size();
        Stream<Integer> parts = node.inputs().stream().map(channels::get);
        if (ofChannels) {
            give(node, parts.reduce(0, Math::addExact), false);
        } else if (parts.distinct().count() == 1) {
            give(node, channels.get(node.input(0)), stacked.containsAll(node.inputs()));
        } else {
            throw refused(node, "joins images that would have different channels");
        }
    }

    /** Operators along an axis, which must be height or width. */
    private void spatial(Node node) {
        int rank = shapes.get(node.input(0)).size();
        long[] numbers = node.hasInput(1)
                ? graph.integers(node.input(1))
                : node.ints(node.op().equals("Pad") ? "pads" : "axes");
        boolean alongChannels = node.op().equals("Pad")
                ? numbers[1] != 0 || numbers[rank + 2] != 0
                : Arrays.stream(numbers).anyMatch(axis -> axis == 1 || axis == -rank);
        if (alongChannels) {
            throw refused(node, "works along the channels, and folding changes what channels there are");
        }
        keep(node);
    }

    /** A number for each output, or one for all. */
    private void bias(Node node, String name) {
        int[] shape = graph.weights().get(name).shape().clone();
        if (shape.length > 0
                && shape[shape.length - 1] == shapes.get(node.output()).get(0)) {
            shape[shape.length - 1] = channels.get(node.output());
        }
        replacements.resized(name, shape);
    }

    private ModelException refused(Node node, String why) {
        return new ModelException("a network with " + node + " cannot be folded by " + options.fold() + ": it " + why);
    }

    private static int size(List<Integer> shape) {
        return shape.stream().reduce(1, Math::multiplyExact);
    }
}
