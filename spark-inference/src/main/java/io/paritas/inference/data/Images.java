/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.function.UnaryOperator;

/** Operations on single images, of floats or of unsigned bytes. */
public final class Images {
    private Images() {}

    /**
     * Resizes with Pillow's bilinear filter, which averages when it shrinks (PyTorch's {@code interpolate} with
     * {@code mode="bilinear", antialias=True}). Halving weights four neighbours 1, 3, 3, 1, and three at the border 3, 3, 1.
     *
     * @param chw one image, channels × height × width values
     * @return channels × newHeight × newWidth values; a new array
     * @throws IllegalArgumentException if a size is below 1, or the array has another length
     */
    public static float[] resize(float[] chw, int channels, int height, int width, int newHeight, int newWidth) {
        return resizer(channels, height, width, newHeight, newWidth).apply(chw);
    }

    /** What {@link #resize} does, for many images of one size: the filter's weights are made once. Thread-safe. */
    public static UnaryOperator<float[]> resizer(int channels, int height, int width, int newHeight, int newWidth) {
        Resampling across = Resampling.bilinear(width, newWidth);
        Resampling down = Resampling.bilinear(height, newHeight);
        return chw -> {
            checkSizes(chw.length, channels, height, width, newHeight, newWidth);
            return down.apply(across.apply(chw, 1), newWidth);
        };
    }

    /**
     * Resizes an image of unsigned bytes with the same filter. Results are rounded once, at the end.
     *
     * @param chw one image, channels × height × width values
     * @return channels × newHeight × newWidth values; the same array if that is its size
     * @throws IllegalArgumentException if a size is below 1, or the array has another length
     * @throws DataException if the image exceeds the limits of {@link #decode}
     */
    public static byte[] resize(byte[] chw, int channels, int height, int width, int newHeight, int newWidth) {
        checkSizes(chw.length, channels, height, width, newHeight, newWidth);
        Picture.checkSize("the image", height, width);
        return new Picture(chw, channels, height, width)
                .resized(newHeight, newWidth)
                .pixels();
    }

    /**
     * Decodes an image file in memory (JPEG, PNG, GIF or BMP, by its first bytes), and resizes it if necessary, without keeping the
     * ratio of its sides. Transparency and a camera's orientation are ignored.
     *
     * @param channels 1 for gray (colours by {@link #luma}), 3 for red, green, blue
     * @return channels × height × width unsigned bytes
     * @throws DataException if the bytes are no image or a damaged one, or the image has more than 2^26 pixels, or more than 2^15 in
     *     a direction
     */
    public static byte[] decode(byte[] file, int channels, int height, int width) {
        return Picture.decode(file, "the image", channels)
                .orElseThrow(() -> new DataException(
                        "the " + file.length + " bytes are no image in one of the formats JPEG, PNG, GIF and BMP"))
                .resized(height, width)
                .pixels();
    }

    /** The brightness of a colour by ITU-R 601, with Pillow's integers. Parts are 0 to 255; equal parts give that value. */
    public static int luma(int red, int green, int blue) {
        return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
    }

    private static void checkSizes(int length, int channels, int height, int width, int newHeight, int newWidth) {
        int smallest = Math.min(Math.min(newHeight, newWidth), Math.min(channels, Math.min(height, width)));
        if (smallest < 1 || length != (long) channels * height * width) {
            throw new IllegalArgumentException("sizes must be at least 1 and an image have " + channels + "x" + height
                    + "x" + width + " values, got " + length + " values for " + newHeight + "x" + newWidth);
        }
    }
}
