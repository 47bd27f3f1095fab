/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/** Operations on single images of floats. */
public final class Images {
    private Images() {}

    /**
     * Resizes by Pillow's bilinear filter, which averages where it shrinks (PyTorch's {@code interpolate} with
     * {@code mode="bilinear", antialias=True}): halving weighs four neighbours 1, 3, 3, 1, and three at the border 3, 3, 1.
     *
     * @param chw one image, channels × height × width values
     * @return channels × newHeight × newWidth values; a new array
     * @throws IllegalArgumentException if a size is below 1, or the array has another length
     */
    public static float[] resize(float[] chw, int channels, int height, int width, int newHeight, int newWidth) {
        int smallest = Math.min(Math.min(newHeight, newWidth), Math.min(channels, Math.min(height, width)));
        if (smallest < 1 || chw.length != (long) channels * height * width) {
            throw new IllegalArgumentException("an image of " + channels + "x" + height + "x" + width
                    + " values, all at least 1, is resized to at least 1x1, got " + chw.length + " values for "
                    + newHeight + "x" + newWidth);
        }
        float[] narrow = Resampling.bilinear(width, newWidth).apply(chw, 1);
        return Resampling.bilinear(height, newHeight).apply(narrow, newWidth);
    }
}
