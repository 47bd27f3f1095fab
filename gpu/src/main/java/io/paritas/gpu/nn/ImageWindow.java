/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * A window that slides over images whose channels are innermost: the filter of a convolution, or of a pool.
 *
 * @param height of an image
 * @param width of an image
 * @param channels of an image
 * @param down how the window slides from top to bottom
 * @param across how it slides from left to right
 */
public record ImageWindow(int height, int width, int channels, Axis down, Axis across) {

    /**
     * One direction of a window.
     *
     * @param outputs number of positions
     * @param taps values of the image under the window
     * @param stride between positions
     * @param before padding before the image; behind it, as much as the positions need
     * @param dilation between taps
     */
    public record Axis(int outputs, int taps, int stride, int before, int dilation) {}

    /** Number of positions in an image. */
    public int positions() {
        return Math.multiplyExact(down.outputs, across.outputs);
    }

    /** Number of pixels of an image. */
    public int pixels() {
        return Math.multiplyExact(height, width);
    }

    /** Number of values in that many images. */
    long values(int images) {
        return (long) images * pixels() * channels;
    }

    /** Number of taps. */
    public int taps() {
        return Math.multiplyExact(down.taps, across.taps);
    }

    /** The fields of the struct {@code Sizes}, from height on. */
    int[] sizes() {
        return new int[] {
            height,
            width,
            channels,
            down.outputs,
            across.outputs,
            down.taps,
            across.taps,
            down.stride,
            across.stride,
            down.before,
            across.before,
            down.dilation,
            across.dilation
        };
    }
}
