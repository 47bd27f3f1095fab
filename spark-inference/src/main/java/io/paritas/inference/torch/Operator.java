/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static java.util.Map.entry;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** ONNX's operators for images, in LibTorch's. What an operator can do but no exporter of image networks writes is refused. */
@FunctionalInterface
interface Operator {
    Map<String, Operator> KNOWN = Map.ofEntries(
            entry("Add", in -> in.tensor(0).plus(in.tensor(1))),
            entry("AveragePool", Operator::averagePool),
            entry("BatchNormalization", Operator::batchNorm),
            entry("Clip", Operator::clip),
            entry("Concat", Operator::concat),
            entry("Conv", Operator::convolution),
            entry("Div", in -> in.tensor(0).dividedBy(in.tensor(1))),
            entry("Dropout", Operator::dropout),
            entry("Flatten", Operator::flatten),
            entry("Gemm", Operator::gemm),
            entry("GlobalAveragePool", in -> in.tensor(0).mean(new long[] {2, 3}, true)),
            entry("Identity", in -> in.tensor(0).times(1)),
            entry("LeakyRelu", in -> in.tensor(0).leakyRelu(in.node().number("alpha", 0.01f))),
            entry("MatMul", in -> in.tensor(0).matrixProduct(in.tensor(1))),
            entry("MaxPool", Operator::maxPool),
            entry("Mul", in -> in.tensor(0).times(in.tensor(1))),
            entry("Pad", Operator::pad),
            entry("ReduceMean", Operator::reduceMean),
            entry("Relu", in -> in.tensor(0).relu()),
            entry("Reshape", Operator::reshape),
            entry("Sigmoid", in -> in.tensor(0).sigmoid()),
            entry("Softmax", in -> in.tensor(0).softmax(in.node().integer("axis", -1))),
            entry("Sub", in -> in.tensor(0).minus(in.tensor(1))),
            entry("Tanh", in -> in.tensor(0).tanh()));

    Tensor apply(Operands operands);

    /** The operator of a node. */
    static Operator of(Node node) {
        Operator known = KNOWN.get(node.op());
        if (known == null) {
            throw new ModelException("a network can be trained if all its operators are among "
                    + new TreeSet<>(KNOWN.keySet()) + ", it has " + node);
        }
        return known;
    }

    private static Tensor convolution(Operands in) {
        requireNoAutoPad(in);
        long[] pads = in.node().ints("pads", 0, 0, 0, 0);
        boolean even = even(pads);
        Tensor input = even ? in.tensor(0) : padded(in.tensor(0), pads, 0);
        return input.convolution(
                in.tensor(1),
                in.tensor(2),
                in.pair("strides", 1),
                even ? Arrays.copyOf(pads, 2) : new long[2],
                in.pair("dilations", 1),
                in.node().integer("group", 1));
    }

    private static Tensor maxPool(Operands in) {
        requireNoAutoPad(in);
        long[] pads = in.node().ints("pads", 0, 0, 0, 0);
        boolean even = even(pads);
        Tensor input = even ? in.tensor(0) : padded(in.tensor(0), pads, Double.NEGATIVE_INFINITY);
        return input.maxPool(
                in.node().ints("kernel_shape"),
                in.pair("strides", 1),
                even ? Arrays.copyOf(pads, 2) : new long[2],
                in.pair("dilations", 1),
                in.node().integer("ceil_mode", 0) == 1);
    }

    private static Tensor averagePool(Operands in) {
        requireNoAutoPad(in);
        long[] pads = in.node().ints("pads", 0, 0, 0, 0);
        if (!even(pads)) {
            throw in.refuse("its padding must be the same on both sides, got " + Arrays.toString(pads));
        }
        return in.tensor(0)
                .averagePool(
                        in.node().ints("kernel_shape"),
                        in.pair("strides", 1),
                        Arrays.copyOf(pads, 2),
                        in.node().integer("ceil_mode", 0) == 1,
                        in.node().integer("count_include_pad", 0) == 1);
    }

    private static Tensor batchNorm(Operands in) {
        return in.tensor(0)
                .batchNorm(
                        in.tensor(1),
                        in.tensor(2),
                        in.tensor(3),
                        in.tensor(4),
                        1 - in.node().number("momentum", 0.9f),
                        in.node().number("epsilon", 1e-5f),
                        in.training());
    }

    private static Tensor clip(Operands in) {
        return in.tensor(0).clip(in.number("min", 1, -Float.MAX_VALUE), in.number("max", 2, Float.MAX_VALUE));
    }

    private static Tensor concat(Operands in) {
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < in.node().inputs().size(); i++) {
            parts.add(in.tensor(i));
        }
        return Tensor.concat(parts, in.node().integer("axis", 1));
    }

    private static Tensor dropout(Operands in) {
        return in.training()
                ? in.tensor(0).dropout(in.number("ratio", 1, 0.5f))
                : in.tensor(0).times(1);
    }

    private static Tensor flatten(Operands in) {
        if (in.node().integer("axis", 1) != 1) {
            throw in.refuse("its axis must be 1, got " + in.node().integer("axis", 1));
        }
        return in.tensor(0).reshape(in.tensor(0).size(0), -1);
    }

    private static Tensor gemm(Operands in) {
        boolean plain = in.node().number("alpha", 1) == 1
                && in.node().number("beta", 1) == 1
                && in.node().integer("transA", 0) == 0;
        if (!plain) {
            throw in.refuse("alpha and beta must be 1 and transA 0");
        }
        if (in.node().integer("transB", 0) == 1) {
            return in.tensor(0).linear(in.tensor(1), in.tensor(2));
        }
        Tensor product = in.tensor(0).matrixProduct(in.tensor(1));
        return in.node().hasInput(2) ? product.plus(in.tensor(2)) : product;
    }

    private static Tensor pad(Operands in) {
        if (!in.node().text("mode", "constant").equals("constant")) {
            throw in.refuse("its mode must be constant, got " + in.node().text("mode", "constant"));
        }
        long[] pads = in.integers("pads", 1);
        int dimensions = pads.length / 2;
        long[] fromLast = new long[pads.length];
        for (int i = 0; i < dimensions; i++) {
            fromLast[2 * i] = pads[dimensions - 1 - i];
            fromLast[2 * i + 1] = pads[pads.length - 1 - i];
        }
        return in.tensor(0).pad(in.number("value", 2, 0), fromLast);
    }

    private static Tensor reduceMean(Operands in) {
        return in.tensor(0).mean(in.integers("axes", 1, 2, 3), in.node().integer("keepdims", 1) == 1);
    }

    /** The batch stays as it is, whatever size of it the exporter saw. */
    private static Tensor reshape(Operands in) {
        long[] shape = in.graph().integers(in.node().input(1)).clone();
        shape[0] = in.tensor(0).size(0);
        for (int i = 1; i < shape.length; i++) {
            shape[i] = shape[i] == 0 ? in.tensor(0).size(i) : shape[i];
        }
        return in.tensor(0).reshape(shape);
    }

    private static void requireNoAutoPad(Operands in) {
        String padding = in.node().text("auto_pad", "NOTSET");
        if (!padding.equals("NOTSET") && !padding.equals("VALID")) {
            throw in.refuse("its padding must be given as numbers, got auto_pad = " + padding);
        }
    }

    /** Whether both sides are padded alike, as LibTorch wants it; ONNX gives the starts, then the ends. */
    private static boolean even(long[] pads) {
        return pads[0] == pads[2] && pads[1] == pads[3];
    }

    private static Tensor padded(Tensor input, long[] pads, double value) {
        return input.pad(value, pads[1], pads[3], pads[0], pads[2]);
    }
}
