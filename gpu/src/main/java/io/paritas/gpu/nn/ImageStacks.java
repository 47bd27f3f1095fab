/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * Batches on the GPU as stacks of f images: the input of folded networks (thesis, 9.3). With the channels outermost, a stack
 * is f images one after the other; with the channels innermost, a pixel of the stack is the f pixels one after the other.
 * Outputs need no kernel: the f times C scores of a stack are the scores of its f images.
 */
public final class ImageStacks {
    private ImageStacks() {}

    /**
     * Puts the making of stacks into a stream, and returns at once; the thread is bound. A last stack that is not full is
     * filled up with copies of the last image.
     *
     * @param images where they are
     * @param stacks where they go, ceil(rows / fold) of them; must not overlap the images
     * @param rows how many images, at least 1
     * @param pixels of an image, if the channels are innermost; 1 if they are outermost
     * @param channels of a pixel; all values of an image, if the channels are outermost
     * @param fold f, at least 1
     * @param elementBytes the bytes of a value: 1, 2 or 4
     */
    public static void stack(
            long images,
            long stacks,
            int rows,
            int pixels,
            int channels,
            int fold,
            int elementBytes,
            CudaStream stream) {
        if (rows < 1 || pixels < 1 || channels < 1 || fold < 1) {
            throw new IllegalArgumentException("There is at least 1 image, pixel, channel and image in a stack; got "
                    + rows + ", " + pixels + ", " + channels + " and " + fold);
        }
        if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4) {
            throw new IllegalArgumentException("A value has 1, 2 or 4 bytes; got " + elementBytes);
        }
        long count = Math.multiplyExact(((long) rows + fold - 1) / fold * fold, (long) pixels * channels);
        CodingKernels.launch(
                "stack_images_" + elementBytes, count, stream, images, stacks, rows, pixels, channels, fold, count);
    }
}
