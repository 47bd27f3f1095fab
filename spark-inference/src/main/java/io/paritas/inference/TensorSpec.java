/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Name and shape of a float32 tensor of a model, for one row: without the first dimension, the batch. Images have the shape
 * (channels, height, width). Values are row-major.
 *
 * @param name name in the model
 * @param shape sizes of the dimensions after the batch, each at least 1
 */
@PublicApi
public record TensorSpec(String name, List<Integer> shape) implements Serializable {

    /** Checks the sizes. */
    public TensorSpec {
        shape = List.copyOf(shape);
        for (int size : shape) {
            if (size < 1) {
                throw new IllegalArgumentException(
                        "every dimension of '" + name + "' must be at least 1, got " + shape);
            }
        }
    }

    /** Number of values of one row: the product of the shape. */
    public int size() {
        int size = 1; // without a stream: each query asks a few times
        for (int dimension : shape) {
            size = Math.multiplyExact(size, dimension);
        }
        return size;
    }

    /** For example {@code input (1, 28, 28)}. */
    @Override
    public String toString() {
        return name + shape.stream().map(String::valueOf).collect(Collectors.joining(", ", " (", ")"));
    }
}
