/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A constant float32 tensor of a graph.
 *
 * @param name name by which nodes refer to it
 * @param role its role in the operator that reads it
 * @param shape all dimensions; empty for a scalar
 * @param values row-major; not to be changed
 */
@PublicApi
public record Weight(String name, Role role, int[] shape, float[] values) {

    /** Of a file of less than 2 GiB. */
    private static final int MOST_VALUES = Integer.MAX_VALUE / Float.BYTES;

    /** The role of a weight in the operator that reads it. */
    public enum Role {
        /** Kernel of a convolution: (outputs, inputs / groups, height, width). */
        KERNEL(true),
        /** Matrix of a linear layer. */
        MATRIX(true),
        /** Added to the outputs of a convolution or a linear layer. */
        BIAS(true),
        /** Multiplied in a normalisation. */
        SCALE(true),
        /** Added in a normalisation. */
        SHIFT(true),
        /** Running mean of a normalisation, updated from the data without gradients. */
        MEAN(false),
        /** Running variance of a normalisation, updated from the data without gradients. */
        VARIANCE(false),
        /** Any other constant. */
        CONSTANT(false);

        private final boolean trained;

        Role(boolean trained) {
            this.trained = trained;
        }

        /** Whether the weight is a parameter, which training changes by gradients. */
        public boolean trained() {
            return trained;
        }
    }

    /** Checks that the values fill the shape. */
    public Weight {
        int size = size(shape);
        if (values.length != size) {
            throw new IllegalArgumentException("'" + name + "' of shape " + Arrays.toString(shape) + " needs " + size
                    + " values, got " + values.length);
        }
    }

    /** Number of values. */
    public int size() {
        return values.length;
    }

    /** The same weight with other values. */
    public Weight with(float[] others) {
        return new Weight(name, role, shape, others);
    }

    /** The same weight with another shape, filled with zeros. */
    public Weight resized(int... other) {
        return new Weight(name, role, other, zeros(other));
    }

    /** The values of a weight to be made, which its file must have room for. */
    static float[] zeros(int... shape) {
        int size = size(shape);
        if (size > MOST_VALUES) {
            throw new IllegalArgumentException("a weight of shape " + Arrays.toString(shape) + " has " + size
                    + " values, more than a file of a network can have, " + MOST_VALUES + ": take a smaller network");
        }
        return new float[size];
    }

    static int size(int... shape) {
        if (Arrays.stream(shape).anyMatch(dimension -> dimension < 0)) {
            throw new IllegalArgumentException("no dimension can be negative, got " + Arrays.toString(shape));
        }
        return Dimensions.size(shape);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Weight weight
                && name.equals(weight.name)
                && role == weight.role
                && Arrays.equals(shape, weight.shape)
                && Arrays.equals(values, weight.values);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(values);
    }

    /** For example {@code fc.weight (10, 256)}. */
    @Override
    public String toString() {
        return name + Arrays.stream(shape).mapToObj(String::valueOf).collect(Collectors.joining(", ", " (", ")"));
    }
}
