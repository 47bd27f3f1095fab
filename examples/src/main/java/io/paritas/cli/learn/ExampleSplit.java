/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;

/** Examples with a deployed model's predictions, split for training, validation and test. */
record ExampleSplit(Examples train, Examples validation, Examples test, String description) {

    /**
     * Computes the model's predictions for images.
     *
     * @param group images that the test must have
     */
    static ExampleSplit of(Data images, LoadedModel deployed, int group) {
        deployed.requireTakes(images);
        requireTest(images.test().inputs().count(), group);
        return new ExampleSplit(
                deployed.answer(images.train()),
                deployed.answer(images.validation()),
                deployed.answer(images.test()),
                images.description());
    }

    /** Refuses a training whose result could not be measured: the test has too few examples for a group. */
    static void requireTest(int examples, int group) {
        if (examples < group) {
            throw new IllegalArgumentException("the accuracy is measured on at least one group of " + group
                    + " examples for the test, got " + examples + ": take more examples, or a smaller group");
        }
    }
}
