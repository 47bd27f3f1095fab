/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Node;

/**
 * The window of a convolution or a pool, with ONNX's attributes.
 *
 * @param height lines of the window
 * @param width pixels of a line of the window
 * @param strideY lines from one position to the next
 * @param strideX pixels from one position to the next
 * @param dilationY lines of the image between lines of the window, 1 if they are adjacent
 * @param dilationX pixels of the image between pixels of the window, 1 if they are adjacent
 * @param top lines of zeros above the image
 * @param left pixels of zeros before each line
 * @param bottom lines of zeros below the image
 * @param right pixels of zeros after each line
 */
public record Window(
        int height,
        int width,
        int strideY,
        int strideX,
        int dilationY,
        int dilationX,
        int top,
        int left,
        int bottom,
        int right) {

    /** The window of a convolution or a pool. */
    static Window of(Node node, int height, int width) {
        String padding = node.text("auto_pad", "NOTSET");
        if (!padding.equals("NOTSET") && !padding.equals("VALID")) {
            throw new ModelException("padding must be given in pixels, " + node + " has auto_pad " + padding
                    + ": export with explicit padding");
        }
        long[] strides = node.ints("strides", 1, 1);
        long[] dilations = node.ints("dilations", 1, 1);
        long[] pads = padding.equals("VALID") ? new long[4] : node.ints("pads", 0, 0, 0, 0);
        return new Window(
                height,
                width,
                Math.toIntExact(strides[0]),
                Math.toIntExact(strides[1]),
                Math.toIntExact(dilations[0]),
                Math.toIntExact(dilations[1]),
                Math.toIntExact(pads[0]),
                Math.toIntExact(pads[1]),
                Math.toIntExact(pads[2]),
                Math.toIntExact(pads[3]));
    }

    /** Whether the window is a single pixel that visits every pixel once. */
    public boolean isPointwise() {
        return height * width * strideY * strideX == 1 && top + left + bottom + right == 0;
    }
}
