/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static java.util.Map.entry;

import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Infers the shape, without the batch, of every value of a graph, for the operators that Paritas trains and folds. */
final class Shapes {
    private static final Map<String, Operator> KNOWN = Map.ofEntries(
            entry("Conv", new Operator(2, 3, Shapes::convolution)),
            entry("BatchNormalization", new Operator(5, 5, Shapes::normalisation)),
            entry("Relu", new Operator(1, 1, Shapes::same)),
            entry("LeakyRelu", new Operator(1, 1, Shapes::same)),
            entry("Clip", new Operator(1, 3, Shapes::same)),
            entry("Sigmoid", new Operator(1, 1, Shapes::same)),
            entry("Tanh", new Operator(1, 1, Shapes::same)),
            entry("Softmax", new Operator(1, 1, Shapes::softmax)),
            entry("Dropout", new Operator(1, 3, Shapes::same)),
            entry("Identity", new Operator(1, 1, Shapes::same)),
            entry("MaxPool", new Operator(1, 1, Shapes::pool)),
            entry("AveragePool", new Operator(1, 1, Shapes::pool)),
            entry("GlobalAveragePool", new Operator(1, 1, Shapes::globalPool)),
            entry("ReduceMean", new Operator(1, 2, Shapes::mean)),
            entry("Flatten", new Operator(1, 1, Shapes::flatten)),
            entry("Reshape", new Operator(2, 2, Shapes::reshape)),
            entry("Gemm", new Operator(2, 3, Shapes::gemm)),
            entry("MatMul", new Operator(2, 2, Shapes::product)),
            entry("Add", new Operator(2, 2, Shapes::broadcast)),
            entry("Sub", new Operator(2, 2, Shapes::broadcast)),
            entry("Div", new Operator(2, 2, Shapes::broadcast)),
            entry("Mul", new Operator(2, 2, Shapes::broadcast)),
            entry("Concat", new Operator(1, Integer.MAX_VALUE, Shapes::concat)),
            entry("Pad", new Operator(1, 4, Shapes::pad)));

    private static final Set<String> WINDOWS = Set.of("Conv", "MaxPool", "AveragePool");

    private final Constants constants;
    private final Map<String, List<Integer>> shapes = new LinkedHashMap<>();

    /**
     * What a graph holds.
     *
     * @param opset version of the operators
     * @param weights the shape of a float32 tensor by name; null if there is none
     * @param integers the values of an integer tensor by name; throws a {@link ModelException} if there is none
     */
    record Constants(long opset, Function<String, int[]> weights, Function<String, long[]> integers) {
        static Constants of(Graph graph) {
            return new Constants(
                    graph.opset(),
                    name -> graph.weights().containsKey(name)
                            ? graph.weights().get(name).shape()
                            : null,
                    graph::integers);
        }
    }

    /** The output shape of an operator. */
    private interface Rule {
        List<Integer> apply(Shapes shapes, Node node);
    }

    /**
     * An operator.
     *
     * @param least the number of inputs that it must have
     * @param most the number of inputs that it may have
     */
    private record Operator(int least, int most, Rule rule) {
        void requireInputs(Node node) {
            for (int i = 0; i < least; i++) {
                if (!node.hasInput(i)) {
                    throw new ModelException(node + " must have an input " + i + ", it reads " + node.inputs()
                            + ": the model is damaged");
                }
            }
            if (node.inputs().size() > most) {
                throw new ModelException(node + " must have at most " + most + " inputs, it reads " + node.inputs()
                        + ": the model is damaged");
            }
        }
    }

    private Shapes(TensorSpec input, Constants constants) {
        this.constants = constants;
        shapes.put(input.name(), input.shape());
    }

    static Map<String, List<Integer>> of(Graph graph) {
        Shapes known = new Shapes(graph.input(), Constants.of(graph));
        for (Node node : graph.nodes()) {
            List<Integer> shape = known.infer(node);
            known.requireValues(node, shape);
            Dimensions.size(shape);
            known.shapes.put(node.output(), List.copyOf(shape));
        }
        known.requireOutput(graph);
        return Collections.unmodifiableMap(known.shapes);
    }

    /**
     * The shapes that can be told, where an operator may be unknown.
     *
     * @throws ModelException if a convolution or a pool leaves nothing of an image; for nothing else
     */
    static Map<String, List<Integer>> known(TensorSpec input, List<Node> nodes, Constants constants) {
        Shapes known = new Shapes(input, constants);
        for (Node node : nodes) {
            List<Integer> shape;
            try {
                shape = known.infer(node);
            } catch (ModelException e) {
                continue; // whatever reads it is passed over, too
            }
            if (WINDOWS.contains(node.op())) {
                known.requireValues(node, shape);
            }
            known.shapes.put(node.output(), List.copyOf(shape));
        }
        return known.shapes;
    }

    private List<Integer> infer(Node node) {
        Operator operator = KNOWN.get(node.op());
        if (operator == null) {
            throw new ModelException("the operators of a network must be among " + new TreeSet<>(KNOWN.keySet())
                    + " to be changed or trained, got " + node + ": write the network with these, or only run it");
        }
        operator.requireInputs(node);
        return operator.rule().apply(this, node);
    }

    private void requireValues(Node node, List<Integer> shape) {
        if (shape.stream().anyMatch(size -> size < 1)) {
            throw new ModelException("an image must not become empty, " + node + " makes " + shape + " of "
                    + of(node, 0) + ": use larger images");
        }
    }

    private void requireOutput(Graph graph) {
        if (!shapes.containsKey(graph.outputName())) {
            throw new ModelException("the output '" + graph.outputName() + "' must be computed by an operator, none of "
                    + graph.nodes().size() + " does: the model is damaged");
        }
    }

    private List<Integer> same(Node node) {
        return of(node, 0);
    }

    private List<Integer> softmax(Node node) {
        axis(node, node.integer("axis", constants.opset() < 13 ? 1 : -1), of(node, 0));
        return same(node);
    }

    private List<Integer> convolution(Node node) {
        List<Integer> in = images(node);
        int[] kernel = weight(node, 1);
        require(kernel.length == in.size() + 1, node, "a kernel for " + in, kernel);
        long groups = node.integer("group", 1);
        require(
                groups > 0 && kernel[1] * groups == in.get(0) && kernel[0] % groups == 0,
                node,
                in.get(0) + " channels",
                kernel);
        if (node.hasInput(2)) {
            int[] bias = weight(node, 2);
            require(Arrays.equals(bias, new int[] {kernel[0]}), node, "a bias for " + kernel[0] + " channels", bias);
        }
        return Windows.slide(node, in, kernel[0], Arrays.copyOfRange(kernel, 2, kernel.length));
    }

    private List<Integer> normalisation(Node node) {
        List<Integer> in = dimensions(node);
        for (int i = 1; i <= 4; i++) {
            int[] vector = weight(node, i);
            require(Arrays.equals(vector, new int[] {in.get(0)}), node, in.get(0) + " channels", vector);
        }
        return in;
    }

    private List<Integer> pool(Node node) {
        List<Integer> in = images(node);
        int[] kernel = Arrays.stream(node.ints("kernel_shape"))
                .mapToInt(size -> Dimensions.size(node, size))
                .toArray();
        require(kernel.length == in.size() - 1, node, "a window for " + in, kernel);
        return Windows.slide(node, in, in.get(0), kernel);
    }

    private List<Integer> globalPool(Node node) {
        List<Integer> in = dimensions(node);
        List<Integer> out = new ArrayList<>(Collections.nCopies(in.size(), 1));
        out.set(0, in.get(0));
        return out;
    }

    private List<Integer> mean(Node node) {
        List<Integer> in = of(node, 0);
        long[] axes = node.hasInput(1) ? constants.integers().apply(node.input(1)) : node.ints("axes");
        List<Integer> counted = Arrays.stream(axes)
                .mapToObj(axis -> axis(node, axis, in))
                .distinct()
                .sorted(Collections.reverseOrder())
                .toList();
        if (counted.isEmpty() || counted.size() < axes.length) {
            throw new ModelException("a mean must name its axes, each once, " + node + " has " + Arrays.toString(axes));
        }
        boolean keeps = !node.has("keepdims") || node.flag("keepdims");
        List<Integer> out = new ArrayList<>(in);
        for (int axis : counted) {
            if (keeps) {
                out.set(axis - 1, 1);
            } else {
                out.remove(axis - 1);
            }
        }
        return out;
    }

    private List<Integer> flatten(Node node) {
        long axis = axis(node, node.integer("axis", 1), of(node, 0));
        if (axis != 1) {
            throw new ModelException("everything but the batch must be flattened, " + node + " has axis " + axis);
        }
        return List.of(Dimensions.size(of(node, 0)));
    }

    private List<Integer> reshape(Node node) {
        List<Integer> in = of(node, 0);
        long[] target = constants.integers().apply(node.input(1));
        List<Integer> out = new ArrayList<>();
        int unknown = -1;
        boolean keepsZeros = node.flag("allowzero");
        for (int i = 1; i < target.length; i++) {
            unknown = target[i] == -1 ? i - 1 : unknown;
            boolean copied = target[i] == 0 && !keepsZeros && i <= in.size();
            out.add(Dimensions.size(node, target[i] == -1 ? 1 : copied ? in.get(i - 1) : target[i]));
        }
        if (unknown >= 0 && Dimensions.size(out) > 0) {
            out.set(unknown, Dimensions.size(in) / Dimensions.size(out));
        }
        if (out.isEmpty() || (target[0] == 0 && keepsZeros) || Dimensions.size(out) != Dimensions.size(in)) {
            throw new ModelException("a reshape must keep the batch and all values of a row, " + node + " makes "
                    + Arrays.toString(target) + " of rows of " + in);
        }
        return out;
    }

    private List<Integer> gemm(Node node) {
        List<Integer> in = of(node, 0);
        int[] matrix = weight(node, 1);
        boolean transposed = node.flag("transB");
        if (node.flag("transA")) {
            throw new ModelException("rows must stay rows, " + node + " transposes its input (transA)");
        }
        require(matrix.length == 2 && in.size() == 1 && in.get(0) == matrix[transposed ? 1 : 0], node, "" + in, matrix);
        int outputs = matrix[transposed ? 0 : 1];
        if (node.hasInput(2)) {
            int[] bias = weight(node, 2);
            boolean isRow = bias.length > 0 && bias[bias.length - 1] == outputs && Weight.size(bias) == outputs;
            require(
                    Weight.size(bias) == 1 || isRow,
                    node,
                    "a bias for " + outputs + " outputs, the same for all rows",
                    bias);
        }
        return List.of(outputs);
    }

    private List<Integer> product(Node node) {
        if (!shapes.containsKey(node.input(0)) || constants.weights().apply(node.input(1)) == null) {
            throw new ModelException("a product must be of a computed value and a weight, in this order; " + node
                    + " multiplies " + node.inputs());
        }
        List<Integer> in = dimensions(node);
        int[] matrix = weight(node, 1);
        require(matrix.length == 2 && in.get(in.size() - 1) == matrix[0], node, "" + in, matrix);
        List<Integer> out = new ArrayList<>(in);
        out.set(in.size() - 1, matrix[1]);
        return out;
    }

    private List<Integer> broadcast(Node node) {
        List<Integer> left = operand(node, 0);
        List<Integer> right = operand(node, 1);
        int rank = Math.max(left.size(), right.size());
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            int a = i < rank - left.size() ? 1 : left.get(i - rank + left.size());
            int b = i < rank - right.size() ? 1 : right.get(i - rank + right.size());
            if (a != b && a != 1 && b != 1) {
                throw new ModelException("the shapes of " + node + " must fit together, got " + left + " and " + right);
            }
            out.add(a == 1 ? b : a);
        }
        return out;
    }

    /** Shape of a computed value, or of a weight that all rows of a batch share. */
    private List<Integer> operand(Node node, int index) {
        List<Integer> computed = shapes.get(node.input(index));
        List<Integer> other = shapes.get(node.input(1 - index));
        if (computed != null) {
            require(other == null || other.size() == computed.size(), node, "as many dimensions as " + other, computed);
            return computed;
        }
        int[] weight = weight(node, index);
        if (other == null) {
            weight(node, 1 - index);
            throw new ModelException(node + " must read a computed value, it joins the constants " + node.inputs()
                    + ": export with constant folding");
        }
        List<Integer> held = Arrays.stream(weight).boxed().toList();
        boolean batched = held.size() == other.size() + 1;
        require(
                held.size() <= other.size() || (batched && held.get(0) == 1),
                node,
                "a computed value and at most one weight for all rows, beside " + other,
                held);
        return batched ? held.subList(1, held.size()) : held;
    }

    private List<Integer> concat(Node node) {
        List<Integer> out = new ArrayList<>(of(node, 0));
        int axis = axis(node, node.integer("axis", 1), out) - 1;
        for (int i = 1; i < node.inputs().size(); i++) {
            List<Integer> part = new ArrayList<>(of(node, i));
            require(part.size() == out.size(), node, "as many dimensions as " + out, part);
            int size = out.get(axis) + part.get(axis);
            part.set(axis, out.get(axis));
            require(part.equals(out), node, "sizes beside the axis as in " + out, of(node, i));
            out.set(axis, size);
        }
        return out;
    }

    private List<Integer> pad(Node node) {
        List<Integer> in = of(node, 0);
        long[] pads = node.hasInput(1) ? constants.integers().apply(node.input(1)) : node.ints("pads");
        int rank = in.size() + 1;
        if (node.hasInput(3) || pads.length != 2 * rank || pads[0] != 0 || pads[rank] != 0) {
            throw new ModelException("padding must be given for every axis and leave the batch alone, " + node + " has "
                    + Arrays.toString(pads));
        }
        List<Integer> out = new ArrayList<>();
        for (int i = 1; i < rank; i++) {
            out.add(Dimensions.size(node, in.get(i - 1) + pads[i] + pads[i + rank]));
        }
        return out;
    }

    /** An axis after the batch; negative numbers count from the end. */
    private static int axis(Node node, long axis, List<Integer> shape) {
        long counted = axis < 0 ? axis + shape.size() + 1 : axis;
        if (counted < 1 || counted > shape.size()) {
            throw new ModelException("rows must stay apart: " + node + " works along axis " + axis
                    + " of the batch and " + shape + ", it may be 1 to " + shape.size());
        }
        return (int) counted;
    }

    /** Shape of the first input, for operators with a window. */
    private List<Integer> images(Node node) {
        List<Integer> in = of(node, 0);
        require(in.size() > 1, node, "rows with channels and pixels", in);
        return in;
    }

    /** Shape of the first input, for operators that need rows with channels or columns. */
    private List<Integer> dimensions(Node node) {
        List<Integer> in = of(node, 0);
        require(!in.isEmpty(), node, "rows with at least one dimension", in);
        return in;
    }

    private List<Integer> of(Node node, int index) {
        List<Integer> shape = shapes.get(node.input(index));
        if (shape == null) {
            throw new ModelException("input " + index + " of " + node + " must be computed by an operator before it, '"
                    + node.input(index) + "' is not: it is a weight, or the model is damaged");
        }
        return shape;
    }

    private int[] weight(Node node, int index) {
        int[] weight = node.hasInput(index) ? constants.weights().apply(node.input(index)) : null;
        if (weight == null) {
            throw new ModelException("input " + index + " of " + node
                    + " must be a float32 weight that the graph holds: " + "export with constant folding");
        }
        return weight;
    }

    private static void require(boolean fits, Node node, String wanted, int... got) {
        require(fits, node, wanted, Arrays.stream(got).boxed().toList());
    }

    private static void require(boolean fits, Node node, String wanted, List<Integer> got) {
        if (!fits) {
            throw new ModelException(node + " needs " + wanted + ", got the shape " + got);
        }
    }
}
