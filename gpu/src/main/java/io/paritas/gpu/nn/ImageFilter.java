/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The shape of a convolution in two dimensions. As a product, its A has a row for each place of the output and a column for
 * each line, place and channel of the filter; A is never made.
 *
 * @param height of an image; likewise its width
 * @param channels of an image, which are innermost
 * @param filterHeight of the filter; likewise its width
 * @param stride between places, in both directions
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
            throw new IllegalArgumentException("A convolution has sizes and a stride of at least 1 and a padding of at"
                    + " least 0; got images of " + height + " x " + width + " x " + channels + ", a filter of "
                    + filterHeight + " x " + filterWidth + ", stride " + stride + " and padding " + padding);
        }
        if (filterHeight > height + 2 * padding || filterWidth > width + 2 * padding) {
            throw new IllegalArgumentException(
                    "A filter is at most as large as the image with its padding; got " + filterHeight + " x "
                            + filterWidth + " for " + height + " x " + width + " and padding " + padding);
        }
    }

    /** Lines of the output. */
    public int outputHeight() {
        return (height + 2 * padding - filterHeight) / stride + 1;
    }

    /** Places in a line of the output. */
    public int outputWidth() {
        return (width + 2 * padding - filterWidth) / stride + 1;
    }

    /** Values of an image. */
    public int imageSize() {
        return Math.multiplyExact(Math.multiplyExact(height, width), channels);
    }

    /** K of the product: the weight of line y, place x and channel c is in row (y · width + x) · channels + c. */
    public int depth() {
        return Math.multiplyExact(Math.multiplyExact(filterHeight, filterWidth), channels);
    }

    /** M of the product. */
    public int rows(int images) {
        return Math.multiplyExact(images, Math.multiplyExact(outputHeight(), outputWidth()));
    }
}
