/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.TensorSpec;
import java.util.List;

/**
 * A network ready to run. Value 0 is the input; each step makes another value. Immutable.
 *
 * @param input input of one row
 * @param output output of one row
 * @param steps the steps, in an order in which they can run
 * @param values number of values
 * @param result number of the value that is the output
 */
record Network(TensorSpec input, TensorSpec output, List<NetworkStep> steps, int values, int result) {

    /** The convolutions and linear layers, in order. */
    List<LinearLayer> linear() {
        return steps.stream()
                .filter(step -> step.linear() != null)
                .map(NetworkStep::linear)
                .toList();
    }
}
