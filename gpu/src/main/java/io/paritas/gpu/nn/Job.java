/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

/**
 * The parameters of a kernel that computes C.
 *
 * @param at the struct {@code Addresses} of protected.cuh
 * @param sizes the struct {@code Sizes}
 * @param rowBlocks blocks of rows of C
 */
record Job(long[] at, int[] sizes, int rowBlocks) {}
