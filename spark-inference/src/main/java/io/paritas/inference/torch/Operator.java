/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static java.util.Map.entry;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Node;
import io.paritas.inference.torch.Functions.Padding;
import io.paritas.inference.torch.Functions.Reduced;
import io.paritas.inference.torch.Functions.Rounding;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** ONNX's operators for images, made of LibTorch's functions. Variants that no exporter of image networks writes are refused. */
@FunctionalInterface
interface Operator {
    Map<String, Operator> KNOWN = Map.ofEntries(
            entry("Add", Operator::add),
            entry("AveragePool", Operator::averagePool),
            entry("BatchNormalization", Operator::batchNorm),
            entry("Clip", Operator::clip),
            entry("Concat", Operator::concat),
            entry("Conv", Operator::convolution),
            entry("Div", Operator::divide),
            entry("Dropout", Operator::dropout),
            entry("Flatten", Operator::flatten),
            entry("Gemm", Operator::gemm),
            entry("GlobalAveragePool", Operator::globalAveragePool),
            entry("Identity", Operator::identity),
            entry("LeakyRelu", Operator::leakyRelu),
            entry("MatMul", Operator::matrixProduct),
            entry("MaxPool", Operator::maxPool),
            entry("Mul", Operator::multiply),
            entry("Pad", Operator::pad),
            entry("ReduceMean", Operator::reduceMean),
            entry("Relu", Operator::relu),
            entry("Reshape", Operator::reshape),
            entry("Sigmoid", Operator::sigmoid),
            entry("Softmax", Operator::softmax),
            entry("Sub", Operator::subtract),
            entry("Tanh", Operator::tanh));

    <V> V apply(Operands<V> in);

    /** The operator of a node. */
    static Operator of(Node node) {
        Operator known = KNOWN.get(node.op());
        if (known == null) {
            throw new ModelException("the operators of a network for LibTorch must be among "
                    + new TreeSet<>(KNOWN.keySet()) + ", got " + node);
        }
        return known;
    }

    private static <V> V add(Operands<V> in) {
        return in.functions().sum(in.value(0), in.value(1));
    }

    private static <V> V subtract(Operands<V> in) {
        return in.functions().difference(in.value(0), in.value(1));
    }

    private static <V> V multiply(Operands<V> in) {
        return in.functions().product(in.value(0), in.value(1));
    }

    private static <V> V divide(Operands<V> in) {
        return in.functions().quotient(in.value(0), in.value(1));
    }

    private static <V> V relu(Operands<V> in) {
        return in.functions().relu(in.value(0));
    }

    private static <V> V leakyRelu(Operands<V> in) {
        return in.functions().leakyRelu(in.value(0), in.node().number("alpha", 0.01f));
    }

    private static <V> V sigmoid(Operands<V> in) {
        return in.functions().sigmoid(in.value(0));
    }

    private static <V> V tanh(Operands<V> in) {
        return in.functions().tanh(in.value(0));
    }

    private static <V> V identity(Operands<V> in) {
        return in.functions().copy(in.value(0));
    }

    private static <V> V convolution(Operands<V> in) {
        long[] pads = pads(in);
        boolean even = even(pads);
        return in.functions()
                .convolution(
                        even ? in.value(0) : padded(in, pads, 0),
                        in.value(1),
                        in.value(2),
                        in.pair("strides"),
                        even ? Arrays.copyOf(pads, 2) : new long[2],
                        in.pair("dilations"),
                        in.node().integer("group", 1));
    }

    private static <V> V maxPool(Operands<V> in) {
        long[] pads = pads(in);
        boolean own = even(pads) && isNarrow(in, pads);
        Rounding rounding = rounding(in);
        if (rounding == Rounding.UP && !own) {
            throw in.refuse(
                    "its padding must be " + (even(pads) ? "at most half of its window" : "the same on both sides")
                            + " when it rounds sizes up, got " + Arrays.toString(pads));
        }
        return in.functions()
                .maxPool(
                        own ? in.value(0) : padded(in, pads, Double.NEGATIVE_INFINITY),
                        in.node().ints("kernel_shape"),
                        in.pair("strides"),
                        own ? Arrays.copyOf(pads, 2) : new long[2],
                        in.pair("dilations"),
                        rounding);
    }

    private static <V> V averagePool(Operands<V> in) {
        long[] pads = pads(in);
        if (!even(pads)) {
            throw in.refuse("its padding must be the same on both sides, got " + Arrays.toString(pads));
        }
        if (!Arrays.equals(in.pair("dilations"), new long[] {1, 1})) {
            throw in.refuse("it must not be dilated, got " + Arrays.toString(in.pair("dilations")));
        }
        boolean counted = in.node().flag("count_include_pad");
        boolean up = rounding(in) == Rounding.UP;
        boolean narrow = isNarrow(in, pads);
        if (counted && (up ? in.graph().opset() < 19 : !narrow)) {
            return in.functions()
                    .averagePool(
                            padded(in, up ? padsOfWholeWindows(in, pads) : pads, 0),
                            in.node().ints("kernel_shape"),
                            in.pair("strides"),
                            new long[2],
                            Rounding.DOWN,
                            Padding.IGNORED);
        }
        if (!narrow) {
            throw in.refuse("its padding must be at most half of its window, or count and sizes be rounded down, got "
                    + Arrays.toString(pads));
        }
        return in.functions()
                .averagePool(
                        in.value(0),
                        in.node().ints("kernel_shape"),
                        in.pair("strides"),
                        Arrays.copyOf(pads, 2),
                        rounding(in),
                        counted ? Padding.COUNTED : Padding.IGNORED);
    }

    /** Padding up to the end of the last windows. ONNX Runtime counts what they have behind the padding, before version 19. */
    private static long[] padsOfWholeWindows(Operands<?> in, long[] pads) {
        List<Integer> from = in.graph().shapes().get(in.node().input(0));
        List<Integer> to = in.graph().shapes().get(in.node().output());
        long[] whole = pads.clone();
        for (int i = 0; i < 2; i++) {
            long end = (to.get(i + 1) - 1) * in.pair("strides")[i] + in.node().ints("kernel_shape")[i];
            whole[i + 2] = Math.max(pads[i + 2], end - from.get(i + 1) - pads[i]);
        }
        return whole;
    }

    private static Rounding rounding(Operands<?> in) {
        return in.node().flag("ceil_mode") ? Rounding.UP : Rounding.DOWN;
    }

    private static <V> V globalAveragePool(Operands<V> in) {
        List<Integer> shape = in.graph().shapes().get(in.node().input(0));
        if (shape.size() < 2) {
            throw in.refuse("its input must have dimensions beside its channels, got the shape " + shape);
        }
        return in.functions()
                .mean(in.value(0), LongStream.rangeClosed(2, shape.size()).toArray(), Reduced.KEPT);
    }

    private static <V> V batchNorm(Operands<V> in) {
        return in.functions()
                .batchNorm(
                        in.value(0),
                        in.value(1),
                        in.value(2),
                        in.value(3),
                        in.value(4),
                        1 - in.node().number("momentum", 0.9f),
                        in.node().number("epsilon", 1e-5f));
    }

    private static <V> V clip(Operands<V> in) {
        return in.functions()
                .clip(in.value(0), in.number("min", 1, -Float.MAX_VALUE), in.number("max", 2, Float.MAX_VALUE));
    }

    private static <V> V concat(Operands<V> in) {
        if (in.node().integer("axis", 0) == 0) {
            throw in.refuse("its axis must not be the batch's, 0");
        }
        List<V> parts = IntStream.range(0, in.node().inputs().size())
                .mapToObj(in::value)
                .toList();
        return in.functions().concat(parts, in.node().integer("axis", 0));
    }

    private static <V> V dropout(Operands<V> in) {
        return in.functions().dropout(in.value(0), in.number("ratio", 1, 0.5f));
    }

    private static <V> V flatten(Operands<V> in) {
        if (in.node().integer("axis", 1) != 1) {
            throw in.refuse("its axis must be 1, got " + in.node().integer("axis", 1));
        }
        return in.functions().reshape(in.value(0), 0, -1);
    }

    private static <V> V gemm(Operands<V> in) {
        boolean plain = in.node().number("alpha", 1) == 1
                && in.node().number("beta", 1) == 1
                && !in.node().flag("transA");
        if (!plain) {
            throw in.refuse("alpha and beta must be 1 and transA 0");
        }
        if (in.node().flag("transB")) {
            return in.functions().linear(in.value(0), in.value(1), in.value(2));
        }
        V product = in.functions().matrixProduct(in.value(0), in.value(1));
        return in.node().hasInput(2) ? in.functions().sum(product, in.value(2)) : product;
    }

    private static <V> V matrixProduct(Operands<V> in) {
        return in.functions().matrixProduct(in.value(0), in.value(1));
    }

    private static <V> V pad(Operands<V> in) {
        if (!in.node().text("mode", "constant").equals("constant")) {
            throw in.refuse("its mode must be constant, got " + in.node().text("mode", "constant"));
        }
        if (in.node().hasInput(3)) {
            throw in.refuse("it must give the padding of all axes, it names some");
        }
        long[] pads = in.integers("pads", 1);
        int dimensions = pads.length / 2;
        long[] fromLast = new long[pads.length];
        for (int i = 0; i < dimensions; i++) {
            fromLast[2 * i] = pads[dimensions - 1 - i];
            fromLast[2 * i + 1] = pads[pads.length - 1 - i];
        }
        return in.functions().pad(in.value(0), in.number("value", 2, 0), fromLast);
    }

    private static <V> V reduceMean(Operands<V> in) {
        long[] axes = in.integers("axes", 1);
        if (axes.length == 0 || Arrays.stream(axes).anyMatch(axis -> axis == 0)) {
            throw in.refuse("it must name its axes, and not the batch's, got " + Arrays.toString(axes));
        }
        boolean keeps = !in.node().has("keepdims") || in.node().flag("keepdims");
        return in.functions().mean(in.value(0), axes, keeps ? Reduced.KEPT : Reduced.DROPPED);
    }

    /** Keeps the batch, whatever its size was at the export. */
    private static <V> V reshape(Operands<V> in) {
        long[] shape = in.graph().integers(in.node().input(1)).clone();
        shape[0] = 0;
        return in.functions().reshape(in.value(0), shape);
    }

    /** Before operator set 13, softmax joined all axes from the given one on. */
    private static <V> V softmax(Operands<V> in) {
        long axis = in.node().integer("axis", in.graph().opset() < 13 ? 1 : -1);
        if (in.graph().opset() < 13 && axis != -1) {
            int last = in.graph().shapes().get(in.node().input(0)).size();
            if (axis != last) {
                throw in.refuse("its axis must be the last of its input, " + last + ", in operator sets before 13; got "
                        + axis);
            }
        }
        return in.functions().softmax(in.value(0), axis);
    }

    /** Padding before height and width, then after them. */
    private static long[] pads(Operands<?> in) {
        if (in.node().has("auto_pad")) {
            throw in.refuse("its padding must be in pixels, or the shape of its input must be known");
        }
        long[] pads = in.node().ints("pads", 0, 0, 0, 0);
        long[] kernel = in.node().ints("kernel_shape", 1, 1);
        if (pads.length != 4 || kernel.length != 2) {
            throw in.refuse("its images must have height and width, its window has " + kernel.length + " dimensions");
        }
        return pads;
    }

    /** Whether both sides have equal padding, as LibTorch requires. */
    private static boolean even(long[] pads) {
        return pads[0] == pads[2] && pads[1] == pads[3];
    }

    /** Whether padding is at most half of the window, without its gaps, as LibTorch requires of pools. */
    private static boolean isNarrow(Operands<?> in, long[] pads) {
        long[] kernel = in.node().ints("kernel_shape");
        return IntStream.range(0, 2).allMatch(i -> pads[i] <= kernel[i] / 2);
    }

    private static <V> V padded(Operands<V> in, long[] pads, double value) {
        return in.functions().pad(in.value(0), value, pads[1], pads[3], pads[0], pads[2]);
    }
}
