/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Weight.Role;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a network layer by layer. Every method adds one operator and returns its output, whose shape it has worked out;
 * weights are zero (variances and scales one) until an {@link Initialisation} fills them. Not thread-safe.
 */
public final class GraphBuilder {
    private static final int OPSET = 17;
    private static final int IR_VERSION = 8;

    private final GraphProto.Builder graph = GraphProto.newBuilder().setName("paritas");
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Value input;

    /** The output of an operator: its name, and its shape without the batch. */
    public record Value(String name, List<Integer> shape) {
        int channels() {
            return shape.get(0);
        }

        private Value named(String other, Integer... otherShape) {
            return new Value(other, List.of(otherShape));
        }
    }

    /** A convolution's settings; square kernels, the same stride and padding on all sides. */
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

        /** Stride 1, as many zeros around as keep the size of the image (for odd kernels), with a bias. */
        public static Convolution same(int outputs, int kernel) {
            return new Convolution(outputs, kernel, 1, kernel / 2, 1, 1, true);
        }

        public Convolution stride(int pixels) {
            return new Convolution(outputs, kernel, pixels, padding, dilation, groups, bias);
        }

        public Convolution padding(int pixels) {
            return new Convolution(outputs, kernel, stride, pixels, dilation, groups, bias);
        }

        /** Dilated, and padded so that the size of the image stays. */
        public Convolution dilation(int pixels) {
            return new Convolution(outputs, kernel, stride, kernel / 2 * pixels, pixels, groups, bias);
        }

        public Convolution groups(int count) {
            return new Convolution(outputs, kernel, stride, padding, dilation, count, bias);
        }

        public Convolution withoutBias() {
            return new Convolution(outputs, kernel, stride, padding, dilation, groups, false);
        }

        private int size(int of) {
            return steps(of + 2 * padding, dilation * (kernel - 1) + 1, stride);
        }
    }

    /** A network with an input of that shape (without the batch): (channels, height, width) or (features). */
    public GraphBuilder(Integer... shape) {
        this(List.of(shape));
    }

    /** As above. */
    public GraphBuilder(List<Integer> shape) {
        input = new Value("input", new TensorSpec("input", shape).shape());
        graph.addInput(Tensors.value(input.name(), input.shape()));
    }

    public Value input() {
        return input;
    }

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

    public Value relu(Value from) {
        String name = name("relu");
        return add(Graph.node("Relu", name, from.name()), new Value(name, from.shape()));
    }

    public Value maxPool(Value from, int kernel, int stride) {
        return pool("MaxPool", from, kernel, stride);
    }

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

    /** The mean of every channel: (channels, 1, 1). */
    public Value globalAveragePool(Value from) {
        String name = name("pool");
        image(from);
        return add(Graph.node("GlobalAveragePool", name, from.name()), from.named(name, from.channels(), 1, 1));
    }

    /** Channels × height × width values in a row. */
    public Value flatten(Value from) {
        String name = name("flatten");
        int size = from.shape().stream().reduce(1, Math::multiplyExact);
        return add(Graph.node("Flatten", name, from.name()).addAttribute(integer("axis", 1)), from.named(name, size));
    }

    /** A fully connected layer with a bias. */
    public Value linear(Value from, int outputs) {
        if (from.shape().size() != 1 || outputs < 1) {
            throw new IllegalArgumentException("a linear layer makes at least 1 output of the shape (features), got "
                    + outputs + " of " + from.shape() + ": flatten an image first");
        }
        String name = name("fc");
        NodeProto.Builder node = Graph.node(
                        "Gemm",
                        name,
                        from.name(),
                        hold(name + ".weight", 0, outputs, from.channels()),
                        hold(name + ".bias", 0, outputs))
                .addAttribute(integer("transB", 1));
        return add(node, from.named(name, outputs));
    }

    public Value sum(Value left, Value right) {
        if (!left.shape().equals(right.shape())) {
            throw new IllegalArgumentException(
                    "only equal shapes can be added, got " + left.shape() + " and " + right.shape());
        }
        String name = name("sum");
        return add(Graph.node("Add", name, left.name(), right.name()), new Value(name, left.shape()));
    }

    /** Zeroes values with that probability while training, and nothing otherwise. */
    public Value dropout(Value from, float probability) {
        String name = name("dropout");
        return add(
                Graph.node("Dropout", name, from.name(), hold(name + ".ratio", probability)),
                new Value(name, from.shape()));
    }

    /** Several layers of the same kind in one line: {@code relu} after {@code linear} of each size. */
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
            throw new IllegalArgumentException("nothing is left of the image: " + node.getOpType() + " '"
                    + node.getName() + "' would have the shape " + output.shape());
        }
        graph.addNode(node);
        return output;
    }

    private String hold(String name, float value, int... shape) {
        float[] values = new float[Weight.size(shape)];
        Arrays.fill(values, value);
        graph.addInitializer(Tensors.proto(new Weight(name, Role.CONSTANT, shape, values)));
        return name;
    }

    /** conv1, conv2, …: counted by kind, in the order of building. */
    private String name(String kind) {
        return kind + numbers.merge(kind, 1, Integer::sum);
    }

    /** How often a window fits; floorDiv, because a window that is too large fits 0 times. */
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
