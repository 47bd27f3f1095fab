/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.util.List;

/**
 * LibTorch's functions, of which {@link Operator}s are composed: on tensors that are there, to run them ({@link Eager}), or
 * on the names of values, to write them into a program ({@link Source}). Pairs are (height, width).
 */
interface Functions<V> {

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

    /** Normalises by the running mean and variance, or, training, by the batch's, which then move the running ones. */
    V batchNorm(V rows, V scale, V shift, V mean, V variance, double momentum, double epsilon);

    V maxPool(V image, long[] kernel, long[] strides, long[] padding, long[] dilations, boolean ceiling);

    V averagePool(V image, long[] kernel, long[] strides, long[] padding, boolean ceiling, boolean countPadding);

    V relu(V of);

    V leakyRelu(V of, double slope);

    V sigmoid(V of);

    V tanh(V of);

    V softmax(V of, long dimension);

    V clip(V of, double low, double high);

    /** Training, zeroes values with that probability and scales the others up. */
    V dropout(V of, double probability);

    /** Means over dimensions. */
    V mean(V of, long[] dimensions, boolean keep);

    /** A constant around; widths from the last dimension to the first, before and after. */
    V pad(V of, double value, long... widths);

    /** The same values in another shape; 0 keeps that dimension, -1 is what remains. */
    V reshape(V of, long... shape);

    /** Behind each other in one dimension. */
    V concat(List<V> parts, long dimension);

    /** The same values. */
    V copy(V of);
}
