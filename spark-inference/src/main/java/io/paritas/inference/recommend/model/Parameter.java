/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;

/**
 * A matrix or a bias of the networks.
 *
 * @param name for example {@code top.2.weight} or {@code top.2.bias}
 * @param offset start in the array of all parameters
 * @param length number of values
 */
@PublicApi
public record Parameter(String name, int offset, int length) {}
