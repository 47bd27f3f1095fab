/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Generated code that computes some outputs of a program, or adds some inputs' share to them, over whole vectors. */
interface VectorMethod {
    /**
     * @param sources where the bytes of each input are, and {@code offsets}, where they start there; of the type that the
     *     code was generated for. Memory segments start with the unit, and their offsets are not used
     * @param targets where the bytes of each output are, and {@code targetOffsets}, where they start there; likewise
     * @param start how far from there the tile starts
     * @param size the bytes of the tile: whole turns of the loop
     * @param folds takes one vector for each input, then for each output: the xor of its vectors. Unused where the code
     *     does not fold
     */
    void apply(
            Object[] sources, int[] offsets, Object[] targets, int[] targetOffsets, int start, int size, byte[] folds);
}
