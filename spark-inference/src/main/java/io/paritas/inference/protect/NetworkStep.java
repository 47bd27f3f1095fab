/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.List;

/**
 * One step of a network: a convolution or linear layer, or another operator.
 *
 * @param name name for messages
 * @param inputs numbers of the values that it reads, or of their buffers
 * @param output number of the value that it makes, or of its buffer
 * @param size size of that value, for one row
 * @param linear the layer; null for an operator
 * @param operator the operator; null for a layer
 */
record NetworkStep(String name, List<Integer> inputs, int output, int size, LinearLayer linear, Operator operator) {

    /** The same step with values in buffers: the number of each. */
    NetworkStep in(int[] buffers) {
        List<Integer> from = inputs.stream().map(value -> buffers[value]).toList();
        return new NetworkStep(name, from, buffers[output], size, linear, operator);
    }
}
