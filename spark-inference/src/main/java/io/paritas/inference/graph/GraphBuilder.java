/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import io.paritas.PublicApi;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Weight.Role;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a network layer by layer. Each method adds an operator and returns its output with its shape. Weights that are not given
 * are zero (variances and scales one) until an {@link Initialisation} fills them. Not thread-safe.
 */
@PublicApi
public final class GraphBuilder {
    private static final int OPSET = 17;
    private static final int IR_VERSION = 8;

    private final GraphProto.Builder graph = GraphProto.newBuilder().setName("paritas");
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Weight> given = new HashMap<>();
    private final Value input;

    /**
     * The output of an operator.
     *
     * @param name name of the value
     * @param shape shape of one row
     */
    public record Value(String name, List<Integer> shape) {
        int channels() {
            return shape.get(0);
        }

        private Value named(String other, Integer... otherShape) {
            return new Value(other, List.of(otherShape));
        }
    }

    /**
     * The settings of a convolution with a square kernel.
     *
     * @param outputs channels of the output
     * @param kernel height and width of the kernel
     * @param stride pixels from one position of the kernel to the next
     * @param padding pixels of zeros on each side
     * @param dilation pixels from one element of the kernel to the next
     * @param groups groups of channels
     * @param bias whether there is a bias
     */
    public record Convolution(
            int outputs, int kernel, int stride, int padding, int dilation, int groups, boolean bias) {

        /** Checks the numbers. */
        public Convolution {
            if (Math.min(Math.min(outputs, kernel), Math.min(Math.min(stride, dilation), groups)) < 1 || padding < 0) {
                throw new IllegalArgumentException("a convolution needs at least 1 output, kernel, stride, dilation and"
                        + " group, and no negative padding, got " + outputs + " outputs, kernel " + kernel + ", stride "
                        + stride + ", dilation " + dilation + ", " + groups + " groups, padding " + padding);
            }
        }

        /** Stride 1, padding that keeps the size of the image (for odd kernels), and a bias. */
        public static Convolution same(int outputs, int kernel) {
            return new Convolution(outputs, kernel, 1, kernel / 2, 1, 1, true);
        }

        /** These settings with another stride. */
        public Convolution stride(int pixels) {
            return new Convolution(outputs, kernel, pixels, padding, dilation, groups, bias);
        }

        /** These settings with another padding. */
        public Convolution padding(int pixels) {
            return new Convolution(outputs, kernel, stride, pixels, dilation, groups, bias);
        }

        /** These settings with another dilation, and padding that keeps the size of the image. */
        public Convolution dilation(int pixels) {
            return new Convolution(outputs, kernel, stride, kernel / 2 * pixels, pixels, groups, bias);
        }

        /** These settings with another number of groups. */
        public Convolution groups(int count) {
            return new Convolution(outputs, kernel, stride, padding, dilation, count, bias);
        }

        /** These settings without a bias. */
        public Convolution withoutBias() {
            return new Convolution(outputs, kernel, stride, padding, dilation, groups, false);
        }

        private int size(int of) {
            return steps(of + 2 * padding, dilation * (kernel - 1) + 1, stride);
        }
    }

    /** Begins a network whose input has the shape (channels, height, width) or (features) for one row. */
    public GraphBuilder(Integer... shape) {
        this(List.of(shape));
    }

    /** Begins a network whose input has the shape (channels, height, width) or (features) for one row. */
    public GraphBuilder(List<Integer> shape) {
        this(new TensorSpec("input", shape));
    }

    /** As above, with a name for the input. */
    public GraphBuilder(TensorSpec spec) {
        this(spec, List.of());
    }

    /**
     * As above, with weights: operators that hold one of such a name take it.
     *
     * @param weights weights by name; large ones are better given here than replaced later, when both are in memory
     */
    public GraphBuilder(TensorSpec spec, Collection<Weight> weights) {
        weights.forEach(weight -> given.put(weight.name(), weight));
        input = new Value(spec.name(), spec.shape());
        graph.addInput(Tensors.value(input.name(), input.shape()));
    }

    /** The input of the network. */
    public Value input() {
        return input;
    }

    /**
     * A convolution of an image.
     *
     * @throws IllegalArgumentException if the groups do not divide the channels, or the image becomes empty
     */
    public Value convolution(Value from, Convolution c) {
        if (from.channels() % c.groups() != 0 || c.outputs() % c.groups() != 0) {
            throw new IllegalArgumentException("channels must be divisible by the groups, got " + from.channels()
                    + " to " + c.outputs() + " channels in " + c.groups() + " groups");
        }
        String name = name("conv");
        NodeProto.Builder node = Graph.node("Conv", name, from.name());
        node.addInput(hold(name + ".weight", 0, c.outputs(), from.channels() / c.groups(), c.kernel(), c.kernel()));
        if (c.bias()) {
            node.addInput(hold(name + ".bias", 0, c.outputs()));
        }
        node.addAttribute(ints("kernel_shape", c.kernel(), c.kernel()))
                .addAttribute(ints("strides", c.stride(), c.stride()))
                .addAttribute(ints("pads", c.padding(), c.padding(), c.padding(), c.padding()))
                .addAttribute(ints("dilations", c.dilation(), c.dilation()))
                .addAttribute(integer("group", c.groups()));
        return add(node, from.named(name, c.outputs(), c.size(height(from)), c.size(width(from))));
    }

    /** A batch normalisation of the channels. */
    public Value batchNorm(Value from) {
        String name = name("bn");
        int channels = from.channels();
        NodeProto.Builder node = Graph.node(
                        "BatchNormalization",
                        name,
                        from.name(),
                        hold(name + ".scale", 1, channels),
                        hold(name + ".shift", 0, channels),
                        hold(name + ".mean", 0, channels),
                        hold(name + ".variance", 1, channels))
                .addAttribute(number("epsilon", 1e-5f))
                .addAttribute(number("momentum", 0.9f));
        return add(node, new Value(name, from.shape()));
    }

    /** A ReLU of each value. */
    public Value relu(Value from) {
        String name = name("relu");
        return add(Graph.node("Relu", name, from.name()), new Value(name, from.shape()));
    }

    /**
     * The sigmoid of every value.
     *
     * @param name name of the operator and its output
     */
    public Value sigmoid(String name, Value from) {
        return add(Graph.node("Sigmoid", name, from.name()), new Value(name, from.shape()));
    }

    /** The maximum of each square window, without padding. */
    public Value maxPool(Value from, int kernel, int stride) {
        return pool("MaxPool", from, kernel, stride);
    }

    /** The mean of each square window, without padding. */
    public Value averagePool(Value from, int kernel, int stride) {
        return pool("AveragePool", from, kernel, stride);
    }

    private Value pool(String op, Value from, int kernel, int stride) {
        if (kernel < 1 || stride < 1) {
            throw new IllegalArgumentException(
                    "a pool needs a kernel and a stride of at least 1, got " + kernel + " and " + stride);
        }
        String name = name("pool");
        NodeProto.Builder node = Graph.node(op, name, from.name())
                .addAttribute(ints("kernel_shape", kernel, kernel))
                .addAttribute(ints("strides", stride, stride));
        int high = steps(height(from), kernel, stride);
        int wide = steps(width(from), kernel, stride);
        return add(node, from.named(name, from.channels(), high, wide));
    }

    /** Means of the channels: (channels, 1, 1). */
    public Value globalAveragePool(Value from) {
        String name = name("pool");
        image(from);
        return add(Graph.node("GlobalAveragePool", name, from.name()), from.named(name, from.channels(), 1, 1));
    }

    /** Flattens rows to channels × height × width values. */
    public Value flatten(Value from) {
        String name = name("flatten");
        int size = from.shape().stream().reduce(1, Math::multiplyExact);
        return add(Graph.node("Flatten", name, from.name()).addAttribute(integer("axis", 1)), from.named(name, size));
    }

    /** A fully connected layer with a bias. */
    public Value linear(Value from, int outputs) {
        return linear(name("fc"), from, outputs);
    }

    /**
     * As above, with a name.
     *
     * @param name name of the operator and its output; its weights are this name with {@code .weight} and {@code .bias}
     * @throws IllegalArgumentException if the shape is not one number of features, or there are no outputs
     */
    public Value linear(String name, Value from, int outputs) {
        if (from.shape().size() != 1 || outputs < 1) {
            throw new IllegalArgumentException("a linear layer makes at least 1 output of the shape (features), got "
                    + outputs + " of " + from.shape() + ": flatten an image first");
        }
        NodeProto.Builder node = Graph.node(
                        "Gemm",
                        name,
                        from.name(),
                        hold(name + ".weight", 0, outputs, from.channels()),
                        hold(name + ".bias", 0, outputs))
                .addAttribute(integer("transB", 1));
        return add(node, from.named(name, outputs));
    }

    /**
     * The sum of two values of equal shapes.
     *
     * @throws IllegalArgumentException if the shapes differ
     */
    public Value sum(Value left, Value right) {
        if (!left.shape().equals(right.shape())) {
            throw new IllegalArgumentException(
                    "only equal shapes can be added, got " + left.shape() + " and " + right.shape());
        }
        String name = name("sum");
        return add(Graph.node("Add", name, left.name(), right.name()), new Value(name, left.shape()));
    }

    /**
     * Splits a vector into two parts, the first of that size.
     *
     * @throws IllegalArgumentException if one of the parts would be empty, or the value is no vector
     */
    public List<Value> split(Value from, int size) {
        int rest = from.shape().get(0) - size;
        if (from.shape().size() != 1 || size < 1 || rest < 1) {
            throw new IllegalArgumentException(
                    "a vector is split into two parts of at least 1 value, got " + size + " of " + from.shape());
        }
        String name = name("split");
        Value first = from.named(name, size);
        add(
                Graph.node("Split", name, from.name(), integers(name + ".sizes", size, rest))
                        .addOutput(name + ".rest")
                        .addAttribute(integer("axis", 1)),
                first);
        return List.of(first, from.named(name + ".rest", rest));
    }

    /** Concatenates vectors. */
    public Value concat(Value... parts) {
        String name = name("concat");
        int size = Arrays.stream(parts).mapToInt(Value::channels).sum();
        String[] names = Arrays.stream(parts).map(Value::name).toArray(String[]::new);
        return add(Graph.node("Concat", name, names).addAttribute(integer("axis", 1)), parts[0].named(name, size));
    }

    /** The same values in another shape. */
    public Value reshape(Value from, Integer... shape) {
        String name = name("reshape");
        long[] target = new long[shape.length + 1];
        for (int i = 0; i < shape.length; i++) {
            target[i + 1] = shape[i];
        }
        return add(
                Graph.node("Reshape", name, from.name(), integers(name + ".shape", target)), from.named(name, shape));
    }

    /** The inner products of all pairs of rows of a matrix. */
    public Value innerProducts(Value rows) {
        int count = rows.shape().get(0);
        int length = rows.shape().get(1);
        String name = name("products");
        String columns = name + ".columns";
        add(
                Graph.node("Transpose", columns, rows.name()).addAttribute(ints("perm", 0, 2, 1)),
                rows.named(columns, length, count));
        return add(Graph.node("MatMul", name, rows.name(), columns), rows.named(name, count, count));
    }

    /** Selects values of a vector, in this order. */
    public Value select(Value from, long... places) {
        String name = name("select");
        return add(
                Graph.node("Gather", name, from.name(), integers(name + ".places", places))
                        .addAttribute(integer("axis", 1)),
                from.named(name, places.length));
    }

    /**
     * A row of a table. The table is the weight of this name with {@code .rows}.
     *
     * @param name name of the operator and its output
     * @param index one value, the number of the row from 0; digits after the decimal point are ignored
     * @param rows rows of the table
     * @param width values of a row
     * @throws IllegalArgumentException if the index is not one value
     */
    public Value lookup(String name, Value index, int rows, int width) {
        if (!index.shape().equals(List.of(1))) {
            throw new IllegalArgumentException(
                    "the number of a row must be one value, of the shape [1], got the shape " + index.shape());
        }
        String whole = name + ".index";
        add(
                Graph.node("Cast", whole, index.name()).addAttribute(integer("to", TensorProto.DataType.INT64_VALUE)),
                index.named(whole, 1));
        String found = name + ".found";
        add(Graph.node("Gather", found, hold(name + ".rows", 0, rows, width), whole), index.named(found, 1, width));
        String shape = integers(name + ".shape", 0, width);
        return add(Graph.node("Reshape", name, found, shape), index.named(name, width));
    }

    /** Zeroes values with that probability in training, and does nothing otherwise. */
    public Value dropout(Value from, float probability) {
        String name = name("dropout");
        return add(
                Graph.node("Dropout", name, from.name(), hold(name + ".ratio", probability)),
                new Value(name, from.shape()));
    }

    /** Linear layers of these sizes, each with a ReLU. */
    public Value hidden(Value from, int... sizes) {
        Value last = from;
        for (int size : sizes) {
            last = relu(linear(last, size));
        }
        return last;
    }

    /** The finished network. */
    public Graph output(Value output) {
        GraphProto.Builder finished = graph.clone().addOutput(Tensors.value(output.name(), output.shape()));
        return Graph.of(ModelProto.newBuilder()
                .setIrVersion(IR_VERSION)
                .setProducerName("paritas")
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(OPSET))
                .setGraph(finished)
                .build());
    }

    private Value add(NodeProto.Builder node, Value output) {
        if (output.shape().stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("an image must not become empty, " + node.getOpType() + " '"
                    + node.getName() + "' would have the shape " + output.shape());
        }
        graph.addNode(node);
        return output;
    }

    private String hold(String name, float value, int... shape) {
        graph.addInitializer(Tensors.proto(given.containsKey(name) ? given(name, shape) : filled(name, value, shape)));
        return name;
    }

    private Weight given(String name, int... shape) {
        Weight weight = given.get(name);
        if (!Arrays.equals(weight.shape(), shape)) {
            throw new IllegalArgumentException("the weight '" + name + "' must have the shape " + Arrays.toString(shape)
                    + ", got " + Arrays.toString(weight.shape()));
        }
        return weight;
    }

    private static Weight filled(String name, float value, int... shape) {
        float[] values = Weight.zeros(shape);
        Arrays.fill(values, value);
        return new Weight(name, Role.CONSTANT, shape, values);
    }

    private String integers(String name, long... values) {
        graph.addInitializer(Tensors.proto(name, 1, values));
        return name;
    }

    /** The next name of a kind: conv1, conv2, … */
    private String name(String kind) {
        return kind + numbers.merge(kind, 1, Integer::sum);
    }

    /** Number of positions of a window. With floorDiv, a window that is too large has 0. */
    private static int steps(int size, int window, int stride) {
        return Math.floorDiv(size - window, stride) + 1;
    }

    private static int height(Value image) {
        return image(image).get(1);
    }

    private static int width(Value image) {
        return image(image).get(2);
    }

    private static List<Integer> image(Value value) {
        if (value.shape().size() != 3) {
            throw new IllegalArgumentException(
                    "an image must have the shape (channels, height, width), got " + value.shape());
        }
        return value.shape();
    }

    private static AttributeProto ints(String name, long... values) {
        AttributeProto.Builder attribute =
                AttributeProto.newBuilder().setName(name).setType(AttributeProto.AttributeType.INTS);
        Arrays.stream(values).forEach(attribute::addInts);
        return attribute.build();
    }

    private static AttributeProto integer(String name, long value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value)
                .build();
    }

    private static AttributeProto number(String name, float value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.FLOAT)
                .setF(value)
                .build();
    }
}
