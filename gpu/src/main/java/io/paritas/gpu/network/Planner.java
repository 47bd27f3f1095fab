/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.network.NetworkPlan.Buffer;
import io.paritas.gpu.network.Step.Finish;
import io.paritas.gpu.network.Step.Pooling;
import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.ImageWindow;
import io.paritas.gpu.nn.NetworkLaunches.Operation;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Turns a graph into launches: groups of operators that share one, and copies where a value is needed in another order. */
final class Planner {
    /** How an operator, with those that it takes along, becomes steps; returns the value that they make. */
    private interface Lowering {
        Value lower(Planner planner, Fusion.Group group);
    }

    private static final Map<String, Lowering> LOWERINGS = Map.ofEntries(
            Map.entry("Conv", (planner, group) -> planner.products.convolution(group)),
            Map.entry("Gemm", (planner, group) -> planner.products.linear(group)),
            Map.entry("MatMul", (planner, group) -> planner.products.linear(group)),
            Map.entry("MaxPool", Planner::pool),
            Map.entry("AveragePool", Planner::pool),
            Map.entry("GlobalAveragePool", Planner::pool),
            Map.entry("Add", (planner, group) -> planner.elements.combine(group, Operation.ADD)),
            Map.entry("Mul", (planner, group) -> planner.elements.combine(group, Operation.MULTIPLY)),
            Map.entry("BatchNormalization", (planner, group) -> planner.elements.normalise(group)),
            Map.entry("Relu", (planner, group) -> planner.elements.function(group)),
            Map.entry("Clip", (planner, group) -> planner.elements.function(group)),
            Map.entry("Sigmoid", (planner, group) -> planner.elements.function(group)),
            Map.entry("Tanh", (planner, group) -> planner.elements.function(group)),
            Map.entry("Softmax", Planner::softmax),
            Map.entry("Concat", Planner::concatenate),
            Map.entry("Flatten", Planner::reshape),
            Map.entry("Reshape", Planner::reshape));

    private final Graph graph;
    private final Names names;
    private final Map<String, List<Integer>> shapes;
    private final Precision precision;
    private final List<Buffer> buffers = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<String> operators = new ArrayList<>();
    /** By the place of the operator in the graph: the step that is a layer. */
    private final SortedMap<Integer, Integer> layers = new TreeMap<>();

    private String operator = "";
    private int place;
    private final Map<String, Value> values = new HashMap<>();
    private final Map<Place, Value> arranged = new HashMap<>();
    private final Map<Place, Value> widened = new HashMap<>();
    private final Products products = new Products(this);
    private final Elements elements = new Elements(this);

    /** An order in which a buffer's values are, or are to be. */
    private record Place(int buffer, int channels) {}

    private Planner(Graph graph, Precision precision) {
        this.graph = graph;
        this.precision = precision;
        this.names = new Names(graph);
        this.shapes = graph.shapes();
    }

    /**
     * Plans a network.
     *
     * @throws UnsupportedModelException if it has something that no kernel computes; the message names the operator
     * @throws io.paritas.inference.ModelException if sizes do not fit together
     */
    static NetworkPlan plan(Graph graph, Precision precision) {
        for (Node node : new Names(graph).nodes()) {
            if (!LOWERINGS.containsKey(node.op())) {
                throw new UnsupportedModelException(
                        "the operators of a network on the GPU must be among " + new TreeSet<>(LOWERINGS.keySet())
                                + ", got " + node + ": leave the choice of the engine to 'auto'");
            }
        }
        return new Planner(graph, precision).plan();
    }

    private NetworkPlan plan() {
        Value input = newValue(graph.input().shape(), 1, Precision.SINGLE);
        values.put(graph.input().name(), input);
        for (Fusion.Group group : Fusion.groups(graph, names)) {
            operator = group.head().toString();
            place = names.place(group.head().output());
            values.put(group.output(), LOWERINGS.get(group.head().op()).lower(this, group));
        }
        Value output = output(values.get(names.output()));
        List<Check> checks = Collections.nCopies(steps.size(), new Check.None());
        return new NetworkPlan(
                input, output, buffers, steps, operators, List.copyOf(layers.values()), checks, precision);
    }

    /** The network's output as the host wants it: float32, in ONNX's order. */
    private Value output(Value last) {
        Value plain = last.isPlain() ? last : copy(last, newValue(last.shape(), 1, Precision.SINGLE));
        if (buffers.get(plain.buffer()).precision() == Precision.SINGLE) {
            return plain;
        }
        boolean isRead =
                steps.stream().flatMap(step -> step.reads().stream()).anyMatch(read -> read.buffer() == plain.buffer());
        if (isRead) {
            return copy(plain, newValue(plain.shape(), 1, Precision.SINGLE));
        }
        buffers.set(plain.buffer(), new Buffer(plain.size(), Precision.SINGLE));
        return plain;
    }

    // ---- what the parts of the planner share

    Graph graph() {
        return graph;
    }

    Precision precision() {
        return precision;
    }

    /** The name of a value without operators that change nothing. */
    String name(String name) {
        return names.of(name);
    }

    /** The shape of a row of a value. */
    List<Integer> shape(String name) {
        return shapes.get(names.of(name));
    }

    /** The constant of that name; null if it is no constant. */
    Weight constant(String name) {
        return graph.weights().get(names.of(name));
    }

    /** The value of that name, as the step before left it. */
    Value value(String name) {
        return values.get(names.of(name));
    }

    /** A value in a new buffer. */
    Value newValue(List<Integer> shape, int channels) {
        return newValue(shape, channels, precision);
    }

    private Value newValue(List<Integer> shape, int channels, Precision ofBuffer) {
        buffers.add(new Buffer(Value.size(shape), ofBuffer));
        return new Value(buffers.size() - 1, shape, channels);
    }

    void add(Step step) {
        if (step.isLayer()) {
            layers.put(place, steps.size());
        }
        steps.add(step);
        operators.add(operator);
    }

    /** The same value with that many channels innermost, in the precision of the plan; copied at most once. */
    Value arranged(Value value, int channels) {
        Value wanted = new Value(value.buffer(), value.shape(), channels);
        if (wanted.equals(value) && buffers.get(value.buffer()).precision() == precision) {
            return value;
        }
        return arranged.computeIfAbsent(
                        new Place(value.buffer(), wanted.channels()),
                        place -> copy(value, newValue(value.shape(), channels)))
                .reshaped(value.shape());
    }

    /** The same value in ONNX's order. */
    Value plain(Value value) {
        return arranged(value, 1);
    }

    /**
     * The same images with the channels innermost.
     *
     * @throws UnsupportedModelException if a row is no image
     */
    Value images(Value value, Node reader) {
        checkImages(value, reader);
        return arranged(value, value.shape().get(0));
    }

    /** The same of images, with as many channels as {@link Precision#storedChannels}, of which the last ones may be 0. */
    Value wideImages(Value value) {
        List<Integer> shape = value.shape();
        int stored = precision.storedChannels(shape.get(0));
        if (stored == shape.get(0) || !(value.isPlain() || value.isImages())) {
            return arranged(value, shape.get(0));
        }
        List<Integer> wide = List.of(stored, shape.get(1), shape.get(2));
        return widened.computeIfAbsent(
                        new Place(value.buffer(), shape.get(0)), place -> widen(value, newValue(wide, stored)))
                .reshaped(wide);
    }

    private Value widen(Value from, Value to) {
        add(new Step.Widen(from, to));
        return to;
    }

    /**
     * Checks that a row is an image.
     *
     * @throws UnsupportedModelException if it is not
     */
    static void checkImages(Value value, Node reader) {
        if (value.shape().size() != 3) {
            throw new UnsupportedModelException(reader + " must read images (channels, height, width) to run on the"
                    + " GPU, got rows of " + value.shape());
        }
    }

    private Value copy(Value from, Value to) {
        add(new Step.Arrange(from, to));
        return to;
    }

    /** The function that ends a group; the identity if there is none. */
    Activation activation(Fusion.Group group) {
        Node last = group.nodes().get(group.nodes().size() - 1);
        return activation(last);
    }

    private Activation activation(Node node) {
        return switch (node.op()) {
            case "Relu" -> Activation.RELU;
            case "Sigmoid" -> Activation.SIGMOID;
            case "Tanh" -> Activation.TANH;
            case "Clip" ->
                Activation.clip(limit(node, 1, "min", -Float.MAX_VALUE), limit(node, 2, "max", Float.MAX_VALUE));
            default -> Activation.NONE;
        };
    }

    /** A limit of a Clip: an input since version 11, an attribute before. */
    private float limit(Node clip, int input, String attribute, float none) {
        if (!clip.hasInput(input)) {
            return clip.number(attribute, none);
        }
        Weight limit = constant(clip.input(input));
        if (limit == null || limit.size() != 1) {
            throw new UnsupportedModelException(clip + " must have constant limits to run on the GPU");
        }
        return limit.values()[0];
    }

    // ---- operators that are neither products nor element by element

    private Value pool(Fusion.Group group) {
        Node node = group.head();
        Value input = images(value(node.input(0)), node);
        Value output = newValue(shape(node.output()), shape(node.output()).get(0));
        Pooling pooling = node.op().equals("MaxPool") ? Pooling.MAX : Pooling.MEAN;
        if (pooling == Pooling.MEAN && node.flag("count_include_pad")) {
            if (node.flag("ceil_mode")) {
                throw new UnsupportedModelException(
                        node + " must not have both ceil_mode and count_include_pad to run on the GPU: leave out one");
            }
            pooling = Pooling.MEAN_WITH_ZEROS;
        }
        ImageWindow window = node.op().equals("GlobalAveragePool")
                ? Sliding.whole(input.shape())
                : Sliding.window(node, input.shape(), output.shape(), node.ints("kernel_shape"));
        add(new Step.Pool(input, output, pooling, window, activation(group)));
        return output;
    }

    private Value softmax(Fusion.Group group) {
        Node node = group.head();
        Value input = plain(value(node.input(0)));
        int rank = input.shape().size();
        boolean flattens = graph.opset() < 13;
        long axis = node.integer("axis", flattens ? 1 : -1);
        int first = Math.toIntExact(axis < 0 ? axis + rank : axis - 1);
        int behind = flattens ? rank : first + 1;
        Value output = newValue(input.shape(), 1);
        add(new Step.Softmax(
                input,
                output,
                Value.size(input.shape().subList(first, behind)),
                Value.size(input.shape().subList(behind, rank))));
        return output;
    }

    /** Parts go to their places one after another; channels of images stay innermost. */
    private Value concatenate(Fusion.Group group) {
        Node node = group.head();
        List<Integer> shape = shape(node.output());
        long given = node.integer("axis", 1);
        int axis = Math.toIntExact(given < 0 ? given + shape.size() : given - 1);
        boolean images = shape.size() == 3 && axis == 0;
        Value output = newValue(shape, images ? shape.get(0) : 1);
        int stride = images ? shape.get(0) : Value.size(shape.subList(axis, shape.size()));
        int offset = 0;
        for (String part : node.inputs()) {
            Value value = images ? images(value(part), node) : plain(value(part));
            int run = images ? value.shape().get(0) : Value.size(value.shape().subList(axis, shape.size()));
            add(new Step.Spread(value, output, run, stride, offset));
            offset += run;
        }
        return output;
    }

    private Value reshape(Fusion.Group group) {
        return value(group.head().input(0)).reshaped(shape(group.output()));
    }

    /** The end of a product: the value that is added, if a sum is taken along, and the function. */
    Finish finish(Fusion.Group group, Optional<String> addend, Value output) {
        return new Finish(addend.map(name -> arranged(value(name), output.channels())), activation(group));
    }
}
