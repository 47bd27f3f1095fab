/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** Some rows of {@link Gemm}'s product, over the blocks of strips. */
interface MaskProduct {
    /**
     * @param masks 0 or ~0 for each input and row: from {@code at} on those of the first input, then those of the next
     * @param blocks where each block lies, and {@code offsets}, where it starts there
     * @param first the first of the {@code inputs} blocks that are read
     * @param target the first of the blocks that are written
     * @param from where in the blocks to begin
     * @param length where in the blocks to end
     * @return where it ended: what is less than a step is left
     */
    int apply(
            int[] masks,
            int at,
            byte[][] blocks,
            int[] offsets,
            int first,
            int inputs,
            int target,
            int from,
            int length);
}
