/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Batches as stacks of f images. Rows are row-major, so f images one after another are one image with f times the channels
 * without moving a value, and f times the scores are the scores of f images; only a last stack that is not full needs work.
 */
public final class Stacks {

    private Stacks() {}

    /** Stacks for that many rows; the last one may not be full. */
    public static int count(int rows, int fold) {
        return (rows + fold - 1) / fold;
    }

    /** What a folded network takes or returns, from what the original does. */
    public static TensorSpec folded(TensorSpec row, int fold) {
        return withChannels(row, Math.multiplyExact(row.shape().get(0), fold));
    }

    /**
     * What an original network takes or returns, from what the folded one does.
     *
     * @throws IllegalArgumentException if the channels are no whole number for each image
     */
    public static TensorSpec unfolded(TensorSpec stack, int fold) {
        int channels = stack.shape().get(0);
        if (fold < 1 || channels % fold != 0) {
            throw new IllegalArgumentException(
                    "stacks of " + fold + " images must have channels for each, got " + stack);
        }
        return withChannels(stack, channels / fold);
    }

    private static TensorSpec withChannels(TensorSpec row, int channels) {
        List<Integer> shape = new ArrayList<>(row.shape());
        shape.set(0, channels);
        return new TensorSpec(row.name(), shape);
    }

    /**
     * Rows filled up to whole stacks with copies of the last row.
     *
     * @param rows a whole number of rows, at least one
     * @return the same array if nothing is missing
     */
    public static float[] padded(float[] rows, int rowSize, int fold) {
        int count = rows.length / rowSize;
        int full = Math.multiplyExact(count(count, fold), fold);
        if (full == count) {
            return rows;
        }
        float[] result = Arrays.copyOf(rows, Math.multiplyExact(full, rowSize));
        for (int row = count; row < full; row++) {
            System.arraycopy(rows, (count - 1) * rowSize, result, row * rowSize, rowSize);
        }
        return result;
    }

    /** Outputs of whole stacks without those of the rows that {@link #padded} added; the same array if there are none. */
    public static float[] unpadded(float[] outputs, int rows, int outputSize) {
        int size = Math.multiplyExact(rows, outputSize);
        return outputs.length == size ? outputs : Arrays.copyOf(outputs, size);
    }

    /** One stack of fewer rows than it has room for: the rows, and copies of the last. Reads all that remains. */
    static void fill(FloatBuffer stack, FloatBuffer rows, int rowSize) {
        FloatBuffer last = rows.duplicate().position(rows.limit() - rowSize);
        stack.put(rows);
        while (stack.hasRemaining()) {
            stack.put(last.duplicate());
        }
        stack.flip();
    }
}
