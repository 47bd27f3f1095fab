/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The function applied to a sum with its bias: the value is cut to a range, then the function is applied. NaN stays NaN.
 *
 * @param low the least value
 * @param high the greatest value
 */
public record Activation(Function function, float low, float high) {
    /** The identity. */
    public static final Activation NONE = clip(Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);

    /** max(x, 0). */
    public static final Activation RELU = clip(0, Float.POSITIVE_INFINITY);

    /** 1 / (1 + exp(−x)). */
    public static final Activation SIGMOID =
            new Activation(Function.SIGMOID, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);

    /** The hyperbolic tangent. */
    public static final Activation TANH =
            new Activation(Function.TANH, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);

    /** A function after the range, in the order of protected.cuh. */
    public enum Function {
        /** The identity: only the range counts. */
        CLIP,
        /** The logistic function. */
        SIGMOID,
        /** The hyperbolic tangent. */
        TANH
    }

    /** Cuts to a range. */
    public static Activation clip(float low, float high) {
        return new Activation(Function.CLIP, low, high);
    }
}
