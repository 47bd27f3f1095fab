/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;

/** Examples with a deployed model's predictions, split for training, validation and test. */
record ExampleSplit(Examples train, Examples validation, Examples test, String description) {

    /** Computes the model's predictions for images. */
    static ExampleSplit of(Data images, LoadedModel deployed) {
        deployed.requireTakes(images);
        return new ExampleSplit(
                deployed.answer(images.train()),
                deployed.answer(images.validation()),
                deployed.answer(images.test()),
                images.description());
    }
}
