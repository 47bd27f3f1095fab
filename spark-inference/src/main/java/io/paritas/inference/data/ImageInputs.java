/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.List;

/**
 * Images as a network's inputs.
 *
 * @param images the pixels
 * @param normalization how bytes become numbers
 * @param augmentation how training changes them in each epoch
 * @param epoch the epoch whose changes are seen, 0 for none
 */
public record ImageInputs(ImageSet images, Normalization normalization, Augmentation augmentation, int epoch)
        implements Inputs {

    /** Images as they are. */
    public ImageInputs(ImageSet images, Normalization normalization) {
        this(images, normalization, Augmentation.NONE, 0);
    }

    /** The same images, in every epoch a little changed. */
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
