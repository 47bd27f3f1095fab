/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.inference.ModelException;
import java.util.Arrays;
import java.util.List;

/** Counts the values of shapes, which a damaged model may have made up. */
final class Dimensions {
    private Dimensions() {}

    /**
     * Returns the number of values of a shape: 0 if a dimension is 0, however large the others are.
     *
     * @throws ModelException if an array cannot have so many
     */
    static int size(List<Integer> shape) {
        long size = longSize(shape);
        if (size > Integer.MAX_VALUE) {
            throw tooLarge(shape, Integer.MAX_VALUE);
        }
        return (int) size;
    }

    /** As {@link #size(List)}. */
    static int size(int... shape) {
        return size(Arrays.stream(shape).boxed().toList());
    }

    /**
     * Returns the number of values of a shape, which need not fit an array.
     *
     * @throws ModelException if it is no long
     */
    static long longSize(List<Integer> shape) {
        if (shape.contains(0)) {
            return 0;
        }
        try {
            return shape.stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw tooLarge(shape, Long.MAX_VALUE);
        }
    }

    /**
     * A size of an operator's output.
     *
     * @throws ModelException if it is beyond what an array can have
     */
    static int size(Node node, long size) {
        if (size > Integer.MAX_VALUE) {
            throw new ModelException("a size must be at most " + Integer.MAX_VALUE + ", " + node + " makes " + size
                    + ": the model is damaged");
        }
        return (int) Math.max(size, Integer.MIN_VALUE);
    }

    private static ModelException tooLarge(List<Integer> shape, long limit) {
        return new ModelException(
                "a tensor can have " + limit + " values, one of shape " + shape + " has more: the model is damaged");
    }
}
