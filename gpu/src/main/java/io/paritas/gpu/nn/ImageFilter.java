/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The shape of a convolution in two dimensions. As a GEMM, A has a row for each output position and a column for each value of
 * the filter; A is never stored.
 *
 * @param height of an image
 * @param width of an image
 * @param channels of an image, which are innermost
 * @param filterHeight height of the filter
 * @param filterWidth width of the filter
 * @param stride between positions, in both directions
 * @param padding zeros around the image, on every side
 */
public record ImageFilter(
        int height, int width, int channels, int filterHeight, int filterWidth, int stride, int padding) {

    /**
     * @throws IllegalArgumentException if a size is below 1, or the filter does not fit
     */
    public ImageFilter {
        int smallest = Math.min(Math.min(height, width), Math.min(filterHeight, filterWidth));
        if (Math.min(smallest, Math.min(channels, stride)) < 1 || padding < 0) {
            throw new IllegalArgumentException("a convolution must have sizes and a stride of at least 1 and a"
                    + " padding of at least 0, got images of " + height + " x " + width + " x " + channels + ", a"
                    + " filter of "
                    + filterHeight + " x " + filterWidth + ", stride " + stride + " and padding " + padding);
        }
        if (filterHeight > height + 2 * padding || filterWidth > width + 2 * padding) {
            throw new IllegalArgumentException(
                    "a filter must not be larger than the image with its padding, got " + filterHeight + " x "
                            + filterWidth + " for " + height + " x " + width + " and padding " + padding);
        }
    }

    /** Height of the output. */
    public int outputHeight() {
        return (height + 2 * padding - filterHeight) / stride + 1;
    }

    /** Width of the output. */
    public int outputWidth() {
        return (width + 2 * padding - filterWidth) / stride + 1;
    }

    /** The same as a window. */
    ImageWindow window() {
        return new ImageWindow(
                height,
                width,
                channels,
                new ImageWindow.Axis(outputHeight(), filterHeight, stride, padding, 1),
                new ImageWindow.Axis(outputWidth(), filterWidth, stride, padding, 1));
    }

    /** Number of values in an image. */
    public int imageSize() {
        return Math.multiplyExact(Math.multiplyExact(height, width), channels);
    }

    /** K of the GEMM: the weight at (y, x) of channel c is row (y · filterWidth + x) · channels + c of B. */
    public int depth() {
        return Math.multiplyExact(Math.multiplyExact(filterHeight, filterWidth), channels);
    }

    /** M of the GEMM. */
    public int rows(int images) {
        return Math.multiplyExact(images, Math.multiplyExact(outputHeight(), outputWidth()));
    }
}
