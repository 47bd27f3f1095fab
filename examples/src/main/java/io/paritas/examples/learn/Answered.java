/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.examples.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;

/** Examples with a deployed model's answers, parted for training, choosing the best epoch, and measuring. */
record Answered(Examples train, Examples validation, Examples test, String description) {

    /** Asks the model for answers to images. */
    static Answered of(Data images, Deployed deployed) {
        deployed.requireTakes(images);
        return new Answered(
                deployed.answer(images.train()),
                deployed.answer(images.validation()),
                deployed.answer(images.test()),
                images.description());
    }
}
