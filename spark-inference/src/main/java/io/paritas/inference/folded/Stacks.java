/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Batches as stacks of f images. Rows are row-major, so f consecutive images are one image with f times the channels, and the
 * scores of a stack are those of f images, without copying. Only a last stack that is not full needs work.
 */
final class Stacks {

    private Stacks() {}

    /** Number of stacks for that many rows; the last one may not be full. */
    public static int count(int rows, int fold) {
        return (rows + fold - 1) / fold;
    }

    /** The input or output of a folded network, from that of the original. */
    public static TensorSpec folded(TensorSpec row, int fold) {
        return withChannels(row, Math.multiplyExact(row.shape().get(0), fold));
    }

    /**
     * The input or output of the original network, from that of the folded one.
     *
     * @throws IllegalArgumentException if the channels are not divisible by the fold
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
     * Fills rows up to whole stacks with copies of the last row.
     *
     * @param rows a whole number of rows, at least one
     * @return the same array if the stacks are full
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

    /** Fills a stack with all remaining rows and copies of the last. */
    static void fill(FloatBuffer stack, FloatBuffer rows, int rowSize) {
        FloatBuffer last = rows.duplicate().position(rows.limit() - rowSize);
        stack.put(rows);
        while (stack.hasRemaining()) {
            stack.put(last.duplicate());
        }
        stack.flip();
    }
}
