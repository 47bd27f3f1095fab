/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * value · scale + shift for each channel, in float64: what batch normalisations and constants come to that follow a product.
 *
 * @param scale one for each channel
 * @param shift one for each channel
 */
record Channels(double[] scale, double[] shift) {
    private static final float USUAL_EPSILON = 1e-5f;

    /** The identity, but for a bias. */
    static Channels bias(float[] bias) {
        double[] scale = new double[bias.length];
        double[] shift = new double[bias.length];
        for (int i = 0; i < bias.length; i++) {
            scale[i] = 1;
            shift[i] = bias[i];
        }
        return new Channels(scale, shift);
    }

    /** A batch normalisation with its statistics. */
    static Channels normalisation(Node node, Map<String, Weight> weights) {
        float[] scale = weights.get(node.input(1)).values();
        float[] shift = weights.get(node.input(2)).values();
        float[] mean = weights.get(node.input(3)).values();
        float[] variance = weights.get(node.input(4)).values();
        float epsilon = node.number("epsilon", USUAL_EPSILON);
        Channels all = bias(shift);
        for (int i = 0; i < scale.length; i++) {
            all.scale[i] = scale[i] / Math.sqrt((double) variance[i] + epsilon);
            all.shift[i] -= mean[i] * all.scale[i];
        }
        return all;
    }

    /** This, then the other. */
    Channels then(Channels other) {
        double[] scales = new double[scale.length];
        double[] shifts = new double[scale.length];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = scale[i] * other.scale[i];
            shifts[i] = shift[i] * other.scale[i] + other.shift[i];
        }
        return new Channels(scales, shifts);
    }

    /** This, then a factor for each channel. */
    Channels times(float[] factors) {
        Channels other = bias(new float[factors.length]);
        for (int i = 0; i < factors.length; i++) {
            other.scale[i] = factors[i];
        }
        return then(other);
    }

    /** The shifts. */
    float[] shifts() {
        return floats(shift);
    }

    /** The scales. */
    float[] scales() {
        return floats(scale);
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }

    /**
     * A constant as one number for each channel; empty if it differs within a channel.
     *
     * @param row shape of the rows that it is combined with
     * @param axis which size of the row counts the channels
     */
    static Optional<float[]> vector(Weight constant, List<Integer> row, int axis) {
        int[] shape = constant.shape();
        for (int i = 0; i < shape.length; i++) {
            boolean ofChannels = i - shape.length + row.size() == axis && shape[i] == row.get(axis);
            if (shape[i] != 1 && !ofChannels) {
                return Optional.empty();
            }
        }
        float[] values = constant.values();
        if (values.length == row.get(axis)) {
            return Optional.of(values);
        }
        float[] repeated = new float[row.get(axis)];
        Arrays.fill(repeated, values[0]);
        return Optional.of(repeated);
    }
}
