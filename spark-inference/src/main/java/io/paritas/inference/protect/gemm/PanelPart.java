/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * A step of the depth of a panel of B, packed: for each k, {@code vectors} times {@link Tiles#lanes} values.
 *
 * @param values the array
 * @param at index of the first value
 * @param vectors 1 or 2
 * @param depth how many k
 */
record PanelPart(float[] values, int at, int vectors, int depth) {}
