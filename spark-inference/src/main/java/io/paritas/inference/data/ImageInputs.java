/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.List;

/**
 * Images as inputs of a network.
 *
 * @param images the images
 * @param normalization conversion of bytes to numbers
 * @param augmentation variants of the images for training
 * @param epoch the epoch whose variants are used; 0 for none
 */
public record ImageInputs(ImageSet images, Normalization normalization, Augmentation augmentation, int epoch)
        implements Inputs {

    /** Inputs without augmentation. */
    public ImageInputs(ImageSet images, Normalization normalization) {
        this(images, normalization, Augmentation.NONE, 0);
    }

    /** These inputs with an augmentation. */
    public ImageInputs augmented(Augmentation how) {
        return new ImageInputs(images, normalization, how, 0);
    }

    @Override
    public int count() {
        return images.size();
    }

    @Override
    public List<Integer> shape() {
        return images.shape();
    }

    @Override
    public void copy(int index, float[] into, int offset) {
        if (epoch == 0 || augmentation.equals(Augmentation.NONE)) {
            images.toFloats(index, normalization, into, offset);
        } else {
            augmentation.toFloats(images, index, epoch, normalization, into, offset);
        }
    }

    @Override
    public Inputs at(int number) {
        return new ImageInputs(images, normalization, augmentation, number);
    }
}
