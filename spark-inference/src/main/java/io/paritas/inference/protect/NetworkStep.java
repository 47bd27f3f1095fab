/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.List;

/**
 * One step of a network: a convolution or linear layer, or another operator.
 *
 * @param name name for messages
 * @param inputs numbers of the values that it reads
 * @param output number of the value that it makes
 * @param size size of that value, for one row
 * @param linear the layer; null for an operator
 * @param operator the operator; null for a layer
 */
record NetworkStep(String name, List<Integer> inputs, int output, int size, LinearLayer linear, Operator operator) {}
