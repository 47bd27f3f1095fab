/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.util.List;

/**
 * The functions of LibTorch that {@link Operator}s are made of. {@link Eager} runs them on tensors, {@link Source} writes them into
 * a program. Pairs are (height, width).
 *
 * @param <V> a value: a tensor, or an expression
 */
interface Functions<V> {

    /** Which way the size of a pooled image is rounded: ONNX's {@code ceil_mode}. */
    enum Rounding {
        DOWN,
        UP
    }

    /** Whether an average counts padding as zeros: ONNX's {@code count_include_pad}. */
    enum Padding {
        IGNORED,
        COUNTED
    }

    /** What becomes of dimensions that a mean is taken over: ONNX's {@code keepdims}. */
    enum Reduced {
        /** They have size 1. */
        KEPT,
        DROPPED
    }

    V sum(V left, V right);

    V difference(V left, V right);

    V product(V left, V right);

    V quotient(V left, V right);

    /** (…, inputs) times (inputs, outputs). */
    V matrixProduct(V left, V right);

    /** (…, inputs) times the transposed (outputs, inputs), plus a bias or null. */
    V linear(V rows, V matrix, V bias);

    /** The bias may be null. */
    V convolution(V image, V kernel, V bias, long[] strides, long[] padding, long[] dilations, long groups);

    /** Normalises by the running mean and variance; in training by the batch's, which then update the running ones. */
    V batchNorm(V rows, V scale, V shift, V mean, V variance, double momentum, double epsilon);

    V maxPool(V image, long[] kernel, long[] strides, long[] padding, long[] dilations, Rounding rounding);

    V averagePool(V image, long[] kernel, long[] strides, long[] padding, Rounding rounding, Padding counting);

    V relu(V of);

    V leakyRelu(V of, double slope);

    V sigmoid(V of);

    V tanh(V of);

    V softmax(V of, long dimension);

    V clip(V of, double low, double high);

    /** In training, zeroes values with that probability and scales the others up. */
    V dropout(V of, double probability);

    /** Means over dimensions. */
    V mean(V of, long[] dimensions, Reduced reduced);

    /** Pads with a constant; widths are (before, after) for each dimension, from the last to the first. */
    V pad(V of, double value, long... widths);

    /** The same values in another shape; 0 keeps that dimension, -1 takes the rest. */
    V reshape(V of, long... shape);

    /** Concatenates in one dimension. */
    V concat(List<V> parts, long dimension);

    /** The same values. */
    V copy(V of);
}
