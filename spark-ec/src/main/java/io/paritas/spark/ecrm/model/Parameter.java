/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

/**
 * A matrix or a bias of the network.
 *
 * @param name such as {@code top.2.weight} or {@code top.2.bias}
 * @param offset where it begins in the array of all parameters
 * @param length how many numbers it has
 */
public record Parameter(String name, int offset, int length) {}
