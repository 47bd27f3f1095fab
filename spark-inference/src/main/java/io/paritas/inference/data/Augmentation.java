/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;

/**
 * Random variants of training images: a crop of the original size out of the image with a black border, then for some a
 * horizontal flip (torchvision's RandomCrop and RandomHorizontalFlip). A variant depends on (seed, epoch, index) only, so a resumed
 * training sees the same ones. Immutable and thread-safe.
 *
 * @param padding width of the border in pixels; 0 for no crop
 * @param flips share of flipped images, 0 to 1
 * @param seed seed of all random choices
 */
public record Augmentation(int padding, double flips, long seed) {

    /** No augmentation. */
    public static final Augmentation NONE = new Augmentation(0, 0, 0);

    /** Checks the ranges. */
    public Augmentation {
        if (padding < 0 || !(flips >= 0 && flips <= 1)) {
            throw new IllegalArgumentException(
                    "padding must be at least 0 and flips between 0 and 1, got " + padding + " and " + flips);
        }
    }

    /** The published augmentation for CIFAR-10 and CIFAR-100: padding 4, half of the images flipped (thesis, 7 to 9). */
    public static Augmentation cifar(long seed) {
        return new Augmentation(4, 0.5, seed);
    }

    /**
     * Writes the variant of one image as {@link ImageSet#imageSize()} values from the offset on.
     *
     * @param epoch from 0
     * @param index of the image in the set
     */
    public void toFloats(ImageSet images, int index, int epoch, Normalization normalization, float[] dst, int offset) {
        normalization.apply(
                apply(images.pixels(index), images.shape(), epoch, index),
                images.shape().get(0),
                dst,
                offset);
    }

    /** As {@link #toFloats(ImageSet, int, int, Normalization, float[], int)}, at the buffer's position, which advances. */
    public void toFloats(ImageSet images, int index, int epoch, Normalization normalization, FloatBuffer dst) {
        float[] values = new float[images.imageSize()];
        toFloats(images, index, epoch, normalization, values, 0);
        dst.put(values);
    }

    /** A variant of the pixels; the same array if nothing changes. */
    byte[] apply(byte[] chw, List<Integer> shape, int epoch, int index) {
        Random random = Seeds.random(seed, epoch, index);
        int down = random.nextInt(2 * padding + 1) - padding;
        int right = random.nextInt(2 * padding + 1) - padding;
        boolean mirrored = random.nextDouble() < flips;
        return down == 0 && right == 0 && !mirrored ? chw : moved(chw, shape, down, right, mirrored);
    }

    /** Pixel (y, x) of the crop is (y + down, x + right) of the image, black outside. */
    private static byte[] moved(byte[] chw, List<Integer> shape, int down, int right, boolean mirrored) {
        int height = shape.get(1);
        int width = shape.get(2);
        byte[] result = new byte[chw.length];
        for (int row = 0; row < shape.get(0) * height; row++) {
            int y = row % height + down;
            if (y >= 0 && y < height) {
                for (int x = Math.max(0, -right); x < Math.min(width, width - right); x++) {
                    result[row * width + (mirrored ? width - 1 - x : x)] = chw[(row + down) * width + x + right];
                }
            }
        }
        return result;
    }
}
