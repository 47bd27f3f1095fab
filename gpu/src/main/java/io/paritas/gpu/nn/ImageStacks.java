/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;

/**
 * Stacks of f images on the GPU: the input of folded networks (thesis, 9.3). With the channels outermost, a stack
 * is f images one after the other; with the channels innermost, a pixel of the stack is the f pixels one after the other.
 * Outputs need no kernel: the f times C scores of a stack are the scores of its f images.
 */
public final class ImageStacks {
    private ImageStacks() {}

    /**
     * The shape of images and stacks.
     *
     * @param pixels of an image, if the channels are innermost; 1 if they are outermost
     * @param channels of a pixel; all values of an image, if the channels are outermost
     * @param fold images in a stack
     * @param elementBytes the bytes of a value: 1, 2 or 4
     */
    public record Shape(int pixels, int channels, int fold, int elementBytes) {
        /** @throws IllegalArgumentException if a number is below 1, or the bytes of a value are not 1, 2 or 4 */
        public Shape {
            if (pixels < 1 || channels < 1 || fold < 1) {
                throw new IllegalArgumentException("pixels, channels and images in a stack must be at least 1, got "
                        + pixels + ", " + channels + " and " + fold);
            }
            if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4) {
                throw new IllegalArgumentException("a value must have 1, 2 or 4 bytes, got " + elementBytes);
            }
        }
    }

    /**
     * Enqueues the stacking on a stream, and returns at once; the thread is bound. A last stack that is not full is filled with
     * copies of the last image.
     *
     * @param images address of the images
     * @param stacks address of the ceil(rows / fold) stacks; must not overlap the images
     * @param rows how many images, at least 1
     */
    public static void stack(long images, long stacks, int rows, Shape shape, CudaStream stream) {
        if (rows < 1) {
            throw new IllegalArgumentException("a batch must have at least 1 image, got " + rows);
        }
        int fold = shape.fold();
        long count =
                Math.multiplyExact(((long) rows + fold - 1) / fold * fold, (long) shape.pixels() * shape.channels());
        CodingKernels.launch(
                "stack_images_" + shape.elementBytes(),
                count,
                stream,
                images,
                stacks,
                rows,
                shape.pixels(),
                shape.channels(),
                fold,
                count);
    }
}
