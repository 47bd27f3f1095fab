/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.List;

/**
 * One layer of a network that runs: a product, or an operator.
 *
 * @param name for messages
 * @param inputs numbers of the values that it reads
 * @param output number of the value that it makes
 * @param size of that value, for one row
 * @param linear the product; null for an operator
 * @param operator null for a product
 */
record Step(String name, List<Integer> inputs, int output, int size, LinearLayer linear, Operator operator) {}
