/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.List;

/**
 * Numbered inputs of a network: images, or any rows of float32 values. Implementations are immutable and thread-safe.
 */
@PublicApi
public interface Inputs {

    /** Number of inputs. */
    int count();

    /** Shape of an input. */
    List<Integer> shape();

    /** Number of values of an input. */
    default int size() {
        return shape().stream().reduce(1, Math::multiplyExact);
    }

    /** How many of them to take at once: 256, or fewer that fill 256 MiB, but at least 1. */
    default int atOnce() {
        return Predictions.atOnce(size());
    }

    /** Copies an input into an array, from an offset on. */
    void copy(int index, float[] into, int offset);

    /** The inputs of an epoch of training: the epoch's variants, if they are augmented. */
    default Inputs at(int epoch) {
        return this;
    }

    /** Some of the inputs, one after another. */
    default float[] rows(int... indices) {
        float[] rows = new float[Math.multiplyExact(indices.length, size())];
        for (int i = 0; i < indices.length; i++) {
            copy(indices[i], rows, i * size());
        }
        return rows;
    }

    /** Shape of a batch of rows with a shape each. */
    static long[] batchShape(int rows, List<Integer> shape) {
        long[] result = new long[shape.size() + 1];
        result[0] = rows;
        for (int i = 0; i < shape.size(); i++) {
            result[i + 1] = shape.get(i);
        }
        return result;
    }

    /**
     * Inputs in an array, such as logged queries. The array is not copied.
     *
     * @param rows a whole number of rows
     * @param shape shape of a row
     * @throws IllegalArgumentException if a dimension is below 1, the last row is not complete, or a value is not finite
     */
    static Inputs of(float[] rows, List<Integer> shape) {
        return new Rows(rows, shape);
    }
}

/** Inputs one after another in an array. */
record Rows(float[] values, List<Integer> shape) implements Inputs {

    Rows {
        shape = List.copyOf(shape);
        if (shape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("every dimension of an input must be at least 1, got " + shape);
        }
        int size = shape.stream().reduce(1, Math::multiplyExact);
        if (values.length % size != 0) {
            throw new IllegalArgumentException("rows of shape " + shape + " have " + size + " values each, got "
                    + values.length + " values in all, which is no whole number of rows");
        }
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new IllegalArgumentException("every value must be a finite number, row " + i / size + " has "
                        + values[i] + " at position " + i % size + ": leave that row out");
            }
        }
    }

    @Override
    public int count() {
        return values.length / size();
    }

    @Override
    public void copy(int index, float[] into, int offset) {
        System.arraycopy(values, index * size(), into, offset, size());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Rows rows && shape.equals(rows.shape) && Arrays.equals(values, rows.values);
    }

    @Override
    public int hashCode() {
        return 31 * shape.hashCode() + Arrays.hashCode(values);
    }
}
