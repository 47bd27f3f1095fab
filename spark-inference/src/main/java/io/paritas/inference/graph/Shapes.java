/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static java.util.Map.entry;

import io.paritas.inference.ModelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Infers the shape, without the batch, of every value of a graph, for the operators that Paritas trains and folds. */
final class Shapes {
    private static final Map<String, Rule> RULES = Map.ofEntries(
            entry("Conv", Shapes::convolution),
            entry("BatchNormalization", Shapes::normalisation),
            entry("Relu", Shapes::same),
            entry("LeakyRelu", Shapes::same),
            entry("Clip", Shapes::same),
            entry("Sigmoid", Shapes::same),
            entry("Tanh", Shapes::same),
            entry("Softmax", Shapes::same),
            entry("Dropout", Shapes::same),
            entry("Identity", Shapes::same),
            entry("MaxPool", Shapes::pool),
            entry("AveragePool", Shapes::pool),
            entry("GlobalAveragePool", Shapes::globalPool),
            entry("ReduceMean", Shapes::mean),
            entry("Flatten", Shapes::flatten),
            entry("Reshape", Shapes::reshape),
            entry("Gemm", Shapes::gemm),
            entry("MatMul", Shapes::product),
            entry("Add", Shapes::broadcast),
            entry("Sub", Shapes::broadcast),
            entry("Div", Shapes::broadcast),
            entry("Mul", Shapes::broadcast),
            entry("Concat", Shapes::concat),
            entry("Pad", Shapes::pad));

    /** Least number of inputs of an operator; 1 for all others. */
    private static final Map<String, Integer> LEAST_INPUTS = Map.of(
            "Conv",
            2,
            "BatchNormalization",
            5,
            "Reshape",
            2,
            "Gemm",
            2,
            "MatMul",
            2,
            "Add",
            2,
            "Sub",
            2,
            "Mul",
            2,
            "Div",
            2);

    private final Graph graph;
    private final Map<String, List<Integer>> shapes = new LinkedHashMap<>();

    /** The output shape of an operator. */
    private interface Rule {
        List<Integer> apply(Shapes shapes, Node node);
    }

    private Shapes(Graph graph) {
        this.graph = graph;
    }

    static Map<String, List<Integer>> of(Graph graph) {
        Shapes known = new Shapes(graph);
        known.shapes.put(graph.input().name(), graph.input().shape());
        for (Node node : graph.nodes()) {
            Rule rule = RULES.get(node.op());
            if (rule == null) {
                throw new ModelException("the operators of a network must be among " + new TreeSet<>(RULES.keySet())
                        + " to be changed or trained, got " + node + ": write the network with these, or only run it");
            }
            requireInputs(node);
            List<Integer> shape = rule.apply(known, node);
            if (shape.stream().anyMatch(size -> size < 1)) {
                throw new ModelException("an image must not become empty, " + node + " makes " + shape + " of "
                        + known.of(node, 0) + ": use larger images");
            }
            known.shapes.put(node.output(), List.copyOf(shape));
        }
        known.requireOutput();
        return Collections.unmodifiableMap(known.shapes);
    }

    private static void requireInputs(Node node) {
        for (int i = 0; i < LEAST_INPUTS.getOrDefault(node.op(), 1); i++) {
            if (!node.hasInput(i)) {
                throw new ModelException(
                        node + " must have an input " + i + ", it reads " + node.inputs() + ": the model is damaged");
            }
        }
    }

    private void requireOutput() {
        if (!shapes.containsKey(graph.outputName())) {
            throw new ModelException("the output '" + graph.outputName() + "' must be computed by an operator, none of "
                    + graph.nodes().size() + " does: the model is damaged");
        }
    }

    private List<Integer> same(Node node) {
        return of(node, 0);
    }

    private List<Integer> convolution(Node node) {
        List<Integer> in = dimensions(node);
        int[] kernel = weight(node, 1).shape();
        require(kernel.length == in.size() + 1, node, "a kernel for " + in, kernel);
        long groups = node.integer("group", 1);
        require(
                groups > 0 && kernel[1] * groups == in.get(0) && kernel[0] % groups == 0,
                node,
                in.get(0) + " channels",
                kernel);
        if (node.hasInput(2)) {
            int[] bias = weight(node, 2).shape();
            require(Arrays.equals(bias, new int[] {kernel[0]}), node, "a bias for " + kernel[0] + " channels", bias);
        }
        return Windows.slide(node, in, kernel[0], Arrays.copyOfRange(kernel, 2, kernel.length));
    }

    private List<Integer> normalisation(Node node) {
        List<Integer> in = dimensions(node);
        for (int i = 1; i <= 4; i++) {
            int[] vector = weight(node, i).shape();
            require(Arrays.equals(vector, new int[] {in.get(0)}), node, in.get(0) + " channels", vector);
        }
        return in;
    }

    private List<Integer> pool(Node node) {
        List<Integer> in = dimensions(node);
        int[] kernel = Arrays.stream(node.ints("kernel_shape"))
                .mapToInt(Math::toIntExact)
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
        long[] axes = node.hasInput(1) ? graph.integers(node.input(1)) : node.ints("axes");
        List<Integer> out = new ArrayList<>(in);
        Arrays.stream(axes)
                .map(axis -> axis(node, axis, in))
                .boxed()
                .sorted(Collections.reverseOrder())
                .forEach(axis -> {
                    if (node.integer("keepdims", 1) == 1) {
                        out.set(axis.intValue() - 1, 1);
                    } else {
                        out.remove(axis.intValue() - 1);
                    }
                });
        require(axes.length > 0, node, "axes to take the mean over", new int[0]);
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
        long[] target = graph.integers(node.input(1));
        List<Integer> out = new ArrayList<>();
        int unknown = -1;
        for (int i = 1; i < target.length; i++) {
            unknown = target[i] == -1 ? i - 1 : unknown;
            boolean copied = target[i] == 0 && node.integer("allowzero", 0) == 0 && i <= in.size();
            out.add(Math.toIntExact(target[i] == -1 ? 1 : copied ? in.get(i - 1) : target[i]));
        }
        if (unknown >= 0 && Dimensions.size(out) > 0) {
            out.set(unknown, Dimensions.size(in) / Dimensions.size(out));
        }
        if (out.isEmpty() || Dimensions.size(out) != Dimensions.size(in)) {
            throw new ModelException("a reshape must keep the batch and all values of a row, " + node + " makes "
                    + Arrays.toString(target) + " of rows of " + in);
        }
        return out;
    }

    private List<Integer> gemm(Node node) {
        List<Integer> in = of(node, 0);
        int[] matrix = weight(node, 1).shape();
        boolean transposed = node.integer("transB", 0) == 1;
        if (node.integer("transA", 0) == 1) {
            throw new ModelException("rows must stay rows, " + node + " transposes its input (transA)");
        }
        require(matrix.length == 2 && in.size() == 1 && in.get(0) == matrix[transposed ? 1 : 0], node, "" + in, matrix);
        int outputs = matrix[transposed ? 0 : 1];
        if (node.hasInput(2)) {
            int[] bias = weight(node, 2).shape();
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
        if (!shapes.containsKey(node.input(0)) || !graph.weights().containsKey(node.input(1))) {
            throw new ModelException("a product must be of a computed value and a weight, in this order; " + node
                    + " multiplies " + node.inputs());
        }
        List<Integer> in = dimensions(node);
        int[] matrix = weight(node, 1).shape();
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
        List<Integer> held = Arrays.stream(weight(node, index).shape()).boxed().toList();
        boolean batched = other != null && held.size() == other.size() + 1;
        require(
                other != null && (held.size() <= other.size() || (batched && held.get(0) == 1)),
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
        long[] pads = node.hasInput(1) ? graph.integers(node.input(1)) : node.ints("pads");
        int rank = in.size() + 1;
        if (node.hasInput(3) || pads.length != 2 * rank || pads[0] != 0 || pads[rank] != 0) {
            throw new ModelException("padding must be given for every axis and leave the batch alone, " + node + " has "
                    + Arrays.toString(pads));
        }
        List<Integer> out = new ArrayList<>();
        for (int i = 1; i < rank; i++) {
            out.add(Math.toIntExact(in.get(i - 1) + pads[i] + pads[i + rank]));
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

    private Weight weight(Node node, int index) {
        Weight weight = node.hasInput(index) ? graph.weights().get(node.input(index)) : null;
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
