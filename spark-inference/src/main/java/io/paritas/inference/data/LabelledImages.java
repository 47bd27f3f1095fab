/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/**
 * Images for training and test, from a {@link DataSource}.
 *
 * @param train images for training and validation
 * @param test images for the test
 * @param normalization the usual normalization of these images
 * @param description one line for reports: what was read, from where, and how it differs from the data of that name
 */
public record LabelledImages(ImageSet train, ImageSet test, Normalization normalization, String description) {

    /** Checks that both sets have the same shape and classes. */
    public LabelledImages {
        if (!train.shape().equals(test.shape())) {
            throw new DataException("training and test images must have one shape, got " + train.shape() + " and "
                    + test.shape() + ": " + description);
        }
        if (!train.classes().equals(test.classes())) {
            throw new DataException("training and test images must have the same classes, got " + train.classes()
                    + " and " + test.classes() + ": " + description);
        }
    }
}
