/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;
import io.paritas.inference.Model;

/**
 * How well a folded network agrees with itself: each image of a stack has an answer of its own, by other weights. Answers to one image
 * from two places of a stack are close, and not equal, so that a large distance tells of a wrong value. A check costs one stack.
 * Thread-safe.
 */
@PublicApi
public final class StackCheck {
    private final Model stacks;
    private final int fold;

    /**
     * Checks of a network.
     *
     * @param stacks the folded network, which takes a stack as one row
     * @param fold images in a stack, at least 2
     * @throws IllegalArgumentException if the network's outputs are not divisible by the fold
     */
    public StackCheck(Model stacks, int fold) {
        if (fold < 2) {
            throw new IllegalArgumentException("a stack must have at least 2 images to compare, got " + fold);
        }
        Stacks.unfolded(stacks.output(), fold);
        this.stacks = stacks;
        this.fold = fold;
    }

    /**
     * Predicts a stack of copies of an image.
     *
     * @return the largest distance between two answers of the stack; infinite if one is not finite
     */
    public double copies(float[] image) {
        float[] stack = new float[fold * image.length];
        for (int copy = 0; copy < fold; copy++) {
            System.arraycopy(image, 0, stack, copy * image.length, image.length);
        }
        float[] answers = stacks.predict(stack);
        int size = answers.length / fold;
        double largest = 0;
        for (int i = 0; i < size; i++) {
            double low = answers[i];
            double high = answers[i];
            for (int copy = 1; copy < fold; copy++) {
                low = Math.min(low, answers[copy * size + i]);
                high = Math.max(high, answers[copy * size + i]);
            }
            largest = Math.max(largest, finite(high - low));
        }
        return largest;
    }

    /**
     * Predicts a stack once more, with its images turned by one place.
     *
     * @param stack the images of a full stack, one after the other
     * @param answers what was predicted for them
     * @return the largest distance between two answers to an image; infinite if one is not finite
     */
    public double turned(float[] stack, float[] answers) {
        int size = answers.length / fold;
        float[] again = stacks.predict(turned(stack));
        double largest = 0;
        for (int i = 0; i < answers.length; i++) {
            double distance = Math.abs((double) again[(i - size + answers.length) % answers.length] - answers[i]);
            largest = Math.max(largest, finite(distance));
        }
        return largest;
    }

    /** The second image comes first, and the first one last. */
    private float[] turned(float... stack) {
        int image = stack.length / fold;
        float[] result = new float[stack.length];
        System.arraycopy(stack, image, result, 0, stack.length - image);
        System.arraycopy(stack, 0, result, stack.length - image, image);
        return result;
    }

    private static double finite(double distance) {
        return Double.isFinite(distance) ? distance : Double.POSITIVE_INFINITY;
    }
}
