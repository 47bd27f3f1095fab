/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.ArrayList;
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

    /**
     * The input or output of the original network, from that of the folded one.
     *
     * @throws IllegalArgumentException if the channels are not divisible by the fold
     */
    public static TensorSpec unfolded(TensorSpec stack, int fold) {
        int channels = stack.shape().isEmpty() ? 0 : stack.shape().get(0);
        if (fold < 1 || channels == 0 || channels % fold != 0) {
            throw new IllegalArgumentException(
                    "stacks of " + fold + " images must have channels for each, got " + stack);
        }
        List<Integer> shape = new ArrayList<>(stack.shape());
        shape.set(0, channels / fold);
        return new TensorSpec(stack.name(), shape);
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
