/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static java.util.Map.entry;

import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.protect.Pooling.Padding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Builds a network from an ONNX graph. Normalisations and biases after a matrix product become part of it. */
final class NetworkBuilder {
    private static final Map<String, Rule> RULES = Map.ofEntries(
            entry("Conv", NetworkBuilder::linear),
            entry("Gemm", NetworkBuilder::linear),
            entry("MatMul", NetworkBuilder::matrix),
            entry("BatchNormalization", NetworkBuilder::affine),
            entry("Relu", (builder, node) -> builder.operator(node, ElementwiseOperators.relu(builder.size(node)))),
            entry("LeakyRelu", NetworkBuilder::leakyRelu),
            entry("Clip", NetworkBuilder::clip),
            entry(
                    "Sigmoid",
                    (builder, node) -> builder.operator(node, ElementwiseOperators.sigmoid(builder.size(node)))),
            entry("Tanh", (builder, node) -> builder.operator(node, ElementwiseOperators.tanh(builder.size(node)))),
            entry("Softmax", NetworkBuilder::softmax),
            entry("MaxPool", NetworkBuilder::maxPool),
            entry("AveragePool", NetworkBuilder::averagePool),
            entry("GlobalAveragePool", NetworkBuilder::globalAverage),
            entry("ReduceMean", NetworkBuilder::mean),
            entry("Add", NetworkBuilder::add),
            entry("Sub", NetworkBuilder::affine),
            entry("Mul", NetworkBuilder::affine),
            entry("Div", NetworkBuilder::affine),
            entry("Concat", NetworkBuilder::concat),
            entry("Flatten", NetworkBuilder::flatten),
            entry("Reshape", NetworkBuilder::flatten),
            entry("Dropout", NetworkBuilder::same),
            entry("Identity", NetworkBuilder::same));

    private final Graph graph;
    private final Map<String, List<Integer>> shapes;
    private final Map<String, List<Node>> readers = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<NetworkStep> steps = new ArrayList<>();
    private int values = 1;

    private interface Rule {
        void apply(NetworkBuilder builder, Node node);
    }

    private NetworkBuilder(Graph graph) {
        this.graph = graph;
        this.shapes = graph.shapes();
        for (Node node : graph.nodes()) {
            node.inputs().forEach(name -> readers.computeIfAbsent(name, any -> new ArrayList<>())
                    .add(node));
        }
        numbers.put(graph.input().name(), 0);
    }

    /**
     * Builds the network.
     *
     * @throws ModelException if the graph has an operator that is not protected; the message names it
     */
    static Network build(Graph graph) {
        NetworkBuilder builder = new NetworkBuilder(graph);
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            Rule rule = RULES.get(node.op());
            if (rule == null) {
                throw new ModelException("only networks of " + new TreeSet<>(RULES.keySet())
                        + " are protected, this one" + " has " + node + ": run it unprotected, with another engine");
            }
            if (!builder.numbers.containsKey(node.output())) { // not absorbed by the product before it
                rule.apply(builder, node);
            }
        }
        TensorSpec output = graph.output();
        int result = builder.numbers.get(graph.outputName());
        ValueBuffers buffers = ValueBuffers.of(builder.steps, builder.values, result);
        List<NetworkStep> steps =
                builder.steps.stream().map(step -> step.in(buffers.numbers())).toList();
        return new Network(graph.input(), output, steps, buffers.count(), buffers.numbers()[result]);
    }

    private int size(Node node) {
        return shapes.get(node.output()).stream().reduce(1, Math::multiplyExact);
    }

    /** The shape of an input. */
    private ImageShape image(Node node, int input) {
        return image(node, shapes.get(node.input(input)));
    }

    private ImageShape result(Node node) {
        return image(node, shapes.get(node.output()));
    }

    /**
     * A shape as that of an image.
     *
     * @throws ModelException if it is neither one nor that of a vector
     */
    static ImageShape image(Node node, List<Integer> shape) {
        if (shape == null || (shape.size() != 1 && shape.size() != 3)) {
            throw new ModelException(
                    "protected networks compute vectors and images of channels, height and width; " + node + " has "
                            + (shape == null ? "a constant in the place of one" : "rows of the shape " + shape)
                            + ": run it unprotected, with another engine");
        }
        return ImageShape.of(shape);
    }

    private void operator(Node node, Operator operator) {
        List<Integer> inputs = node.inputs().stream()
                .filter(numbers::containsKey)
                .map(numbers::get)
                .toList();
        operator(node, inputs, operator);
    }

    private void operator(Node node, List<Integer> inputs, Operator operator) {
        steps.add(new NetworkStep(node.toString(), inputs, values, size(node), null, operator));
        numbers.put(node.output(), values++);
    }

    private void matrix(Node node) {
        if (shapes.get(node.input(0)).size() != 1) {
            throw refused(node, "rows that are vectors");
        }
        linear(node);
    }

    private void linear(Node node) {
        image(node, 0);
        LinearWeights weights = LinearWeights.of(graph, node);
        String output = node.output();
        Node next = onlyReader(output);
        while (next != null && weights.absorb(graph, next, output)) {
            output = next.output();
            next = onlyReader(output);
        }
        LinearLayer layer = weights.layer(node, image(node, 0), image(node, shapes.get(output)));
        int size = shapes.get(output).stream().reduce(1, Math::multiplyExact);
        steps.add(new NetworkStep(node.toString(), List.of(numbers.get(node.input(0))), values, size, layer, null));
        numbers.put(output, values++);
        for (Node absorbed = node; !absorbed.output().equals(output); absorbed = onlyReader(absorbed.output())) {
            numbers.put(absorbed.output(), numbers.get(output));
        }
    }

    /** The only operator that reads a value, once; null if there is none, or the value is the network's output. */
    private Node onlyReader(String value) {
        List<Node> all = readers.getOrDefault(value, List.of());
        return all.size() == 1 && !value.equals(graph.outputName()) ? all.get(0) : null;
    }

    private void affine(Node node) {
        ChannelAffine.of(graph, node, numbers::containsKey, channels(node))
                .ifPresentOrElse(
                        affine -> operator(
                                node, ElementwiseOperators.affine(result(node), affine.scale(), affine.shift())),
                        () -> {
                            throw refused(node, "one constant for all values, or one for each channel");
                        });
    }

    private int channels(Node node) {
        return result(node).channels();
    }

    private void add(Node node) {
        if (node.inputs().stream().allMatch(numbers::containsKey)) {
            if (!shapes.get(node.input(0)).equals(shapes.get(node.input(1)))) {
                throw refused(node, "two values of the same shape");
            }
            operator(node, ElementwiseOperators.add(size(node)));
        } else {
            affine(node);
        }
    }

    private void leakyRelu(Node node) {
        operator(node, ElementwiseOperators.leakyRelu(size(node), node.number("alpha", 0.01f)));
    }

    private void clip(Node node) {
        operator(
                node,
                ElementwiseOperators.clip(
                        size(node), bound(node, "min", 1, -Float.MAX_VALUE), bound(node, "max", 2, Float.MAX_VALUE)));
    }

    private float bound(Node node, String attribute, int input, float otherwise) {
        if (!node.hasInput(input)) {
            return node.number(attribute, otherwise);
        }
        Weight bound = graph.weights().get(node.input(input));
        if (bound == null || bound.size() != 1) {
            throw refused(node, "constants as its bounds");
        }
        return bound.values()[0];
    }

    private void softmax(Node node) {
        long axis = node.integer("axis", graph.opset() < 13 ? 1 : -1);
        if (shapes.get(node.input(0)).size() != 1 || (axis != 1 && axis != -1)) {
            throw refused(node, "rows that are vectors");
        }
        operator(node, ElementwiseOperators.softmax(size(node)));
    }

    private void maxPool(Node node) {
        operator(node, Pooling.max(image(node, 0), result(node), window(node)));
    }

    private void averagePool(Node node) {
        Padding counted = graph.opset() < 19 ? Padding.COUNTED_AND_BEHIND : Padding.COUNTED;
        Padding padding = node.flag("count_include_pad") ? counted : Padding.IGNORED;
        operator(node, Pooling.average(image(node, 0), result(node), window(node), padding));
    }

    private Window window(Node node) {
        image(node, 0);
        long[] kernel = node.ints("kernel_shape");
        if (kernel.length != 2) {
            throw refused(node, "a window with height and width");
        }
        return Window.of(node, Math.toIntExact(kernel[0]), Math.toIntExact(kernel[1]));
    }

    private void globalAverage(Node node) {
        operator(node, Pooling.globalAverage(image(node, 0)));
    }

    private void mean(Node node) {
        long[] axes = node.hasInput(1) ? graph.integers(node.input(1)) : node.ints("axes");
        long sum = 0;
        for (long axis : axes) {
            sum += axis < 0 ? axis + 4 : axis;
        }
        if (shapes.get(node.input(0)).size() != 3 || axes.length != 2 || sum != 5) {
            throw refused(node, "the mean over height and width of an image");
        }
        globalAverage(node);
    }

    private void concat(Node node) {
        long axis = node.integer("axis", 1);
        if (axis != 1 && axis != -shapes.get(node.output()).size()) {
            throw refused(node, "channels to put behind one another");
        }
        ImageShape[] parts = new ImageShape[node.inputs().size()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = image(node, i);
        }
        operator(node, ElementwiseOperators.concat(parts));
    }

    /** Flattens rows in ONNX's order, channels first, which is not the order in memory. */
    private void flatten(Node node) {
        ImageShape from = image(node, 0);
        ImageShape to = result(node);
        if (from.isFlat() && to.isFlat()) {
            same(node);
            return;
        }
        operator(node, List.of(numbers.get(node.input(0))), (rows, in, out) -> {
            if (to.isFlat()) {
                from.toChannelsFirst(rows, in[0], out);
            } else {
                float[] middle = new float[rows * from.size()];
                from.toChannelsFirst(rows, in[0], middle);
                to.toMemory(rows, middle, out);
            }
        });
    }

    private void same(Node node) {
        numbers.put(node.output(), numbers.get(node.input(0)));
    }

    private static ModelException refused(Node node, String wanted) {
        return new ModelException("in a protected network, " + node + " must have " + wanted
                + ": run it unprotected, with another engine");
    }
}
