/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.graph.Node;

/**
 * The window of a convolution or a pool, with ONNX's attributes.
 *
 * @param down from line to line
 * @param across from pixel to pixel of a line
 */
public record Window(Axis down, Axis across) {

    /**
     * One direction of a window, in lines or in pixels.
     *
     * @param size of the window
     * @param stride from one position to the next
     * @param dilation from one line or pixel of the window to the next, 1 if they are adjacent in the image
     * @param before zeros before the image
     * @param after zeros after the image
     */
    public record Axis(int size, int stride, int dilation, int before, int after) {

        private static Axis of(int size, int axis, long[] strides, long[] dilations, long[] pads) {
            return new Axis(
                    size,
                    Math.toIntExact(strides[axis]),
                    Math.toIntExact(dilations[axis]),
                    Math.toIntExact(pads[axis]),
                    Math.toIntExact(pads[axis + 2]));
        }

        /** Of a window that sees the whole image at once. */
        static Axis whole(int size) {
            return new Axis(size, 1, 1, 0, 0);
        }

        Axis withoutPadding() {
            return new Axis(size, stride, dilation, 0, 0);
        }

        /** Size of an image with the zeros around it. */
        public int padded(int image) {
            return before + image + after;
        }

        private boolean isPointwise() {
            return size == 1 && stride == 1 && before == 0 && after == 0;
        }
    }

    /** The window of a convolution or a pool. */
    static Window of(Node node, int height, int width) {
        long[] strides = node.ints("strides", 1, 1);
        long[] dilations = node.ints("dilations", 1, 1);
        long[] pads = node.ints("pads", 0, 0, 0, 0);
        return new Window(Axis.of(height, 0, strides, dilations, pads), Axis.of(width, 1, strides, dilations, pads));
    }

    /** Whether the window is a single pixel that visits every pixel once. */
    public boolean isPointwise() {
        return down.isPointwise() && across.isPointwise();
    }
}
