/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The parameters of a kernel that computes C: two structs of protected.cuh.
 *
 * @param at the struct {@code Addresses}
 * @param sizes the struct {@code Sizes}
 * @param rowBlocks how many blocks of rows C has
 */
record KernelParameters(long[] at, int[] sizes, int rowBlocks) {}
