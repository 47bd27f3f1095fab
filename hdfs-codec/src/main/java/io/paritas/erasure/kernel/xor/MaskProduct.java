/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** A product with masks: computes some rows of the matrix form ({@link GemmTiling}) over the blocks of strips. */
interface MaskProduct {
    /**
     * The matrix of a product, and the blocks that it reads and writes.
     *
     * @param masks 0 or ~0 for each input and row: first those of the first input
     * @param first the first of the blocks that are read
     * @param inputs how many blocks are read
     * @param target the first of the blocks that are written, one for each row
     */
    record Operands(int[] masks, int first, int inputs, int target) {}

    /**
     * Computes whole steps of the rows.
     *
     * @param blocks the array of each block, and {@code offsets}, where the block starts in it
     * @param from where in the blocks to begin
     * @param length where in the blocks to end
     * @return where it ended; less than a step is left
     */
    int apply(Operands operands, byte[][] blocks, int[] offsets, int from, int length);
}
