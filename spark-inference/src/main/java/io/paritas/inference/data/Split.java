/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Random;

/**
 * A set of images split into three disjoint sets. Each may be empty.
 *
 * @param train images for training
 * @param validation images to choose the best epoch by
 * @param test images for the test
 */
public record Split(ImageSet train, ImageSet validation, ImageSet test) {

    /**
     * Splits at random: in the order of {@link #permutation}, the first images are the validation set, the next ones the test set,
     * the rest the training set.
     *
     * @param validation number of validation images
     * @param test number of test images; 0 if the test set is another
     */
    public static Split random(ImageSet all, int validation, int test, long seed) {
        if (validation < 0 || test < 0 || validation > all.size() - test) {
            throw new IllegalArgumentException("validation and test images are taken from the " + all.size()
                    + " there are, got " + validation + " and " + test);
        }
        ImageSet shuffled = all.select(permutation(all.size(), seed));
        int held = validation + test;
        return new Split(
                shuffled.subset(held, all.size()), shuffled.subset(0, validation), shuffled.subset(validation, held));
    }

    /**
     * Splits images in order of time, such as frames of a video, into equal slices. Three consecutive ones become training,
     * validation and test set; the others are not used (thesis, 9; NoScope). Neighbouring frames are nearly equal, so a random
     * split would test on trained images.
     *
     * @param slices number of slices, at least 3; sizes differ by at most 1
     * @param first index of the training slice
     */
    public static Split slices(ImageSet ordered, int slices, int first) {
        if (slices < 3 || slices > ordered.size() || first < 0 || first > slices - 3) {
            throw new IllegalArgumentException("three consecutive slices of at least one image each are needed, got "
                    + ordered.size() + " images in " + slices + " slices, of them from " + first + " on");
        }
        return new Split(
                slice(ordered, slices, first), slice(ordered, slices, first + 1), slice(ordered, slices, first + 2));
    }

    private static ImageSet slice(ImageSet ordered, int slices, int index) {
        long size = ordered.size();
        return ordered.subset((int) (size * index / slices), (int) (size * (index + 1) / slices));
    }

    /**
     * The numbers below {@code count} in random order, equal on every JDK: Fisher and Yates' shuffle from the end, with
     * {@link Random#nextInt(int)}.
     */
    public static int[] permutation(int count, long seed) {
        Random random = Seeds.random(seed);
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }
}
