/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/**
 * What a {@link DataSource} loads.
 *
 * @param train to learn from, and to cut a validation set from
 * @param test to report
 * @param normalization usual for these data
 * @param description one line for reports: what was read and from where, and how it differs from what its name promises
 */
public record LabelledImages(ImageSet train, ImageSet test, Normalization normalization, String description) {

    /** Checks that both sets are of the same kind. */
    public LabelledImages {
        if (!train.shape().equals(test.shape())) {
            throw new DataException("training and test images have one shape, got " + train.shape() + " and "
                    + test.shape() + ": " + description);
        }
        if (!train.classes().equals(test.classes())) {
            throw new DataException("training and test images have the same classes, got " + train.classes() + " and "
                    + test.classes() + ": " + description);
        }
    }
}
