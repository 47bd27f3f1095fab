/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.TensorSpec;
import java.util.List;

/**
 * A network that can run: its layers in order. Value 0 is the input; every other is made by a step. Immutable.
 *
 * @param input of one row
 * @param output of one row
 * @param steps in an order in which they can run
 * @param values how many values there are
 * @param result number of the value that is the output
 */
record Network(TensorSpec input, TensorSpec output, List<Step> steps, int values, int result) {

    /** The products, in order. */
    List<LinearLayer> linear() {
        return steps.stream()
                .filter(step -> step.linear() != null)
                .map(Step::linear)
                .toList();
    }
}
