/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Generated code that computes some outputs of a program, or adds some inputs' share to them, over whole vectors. */
interface VectorMethod {
    /**
     * @param sources the memory of each input, of the type that the code was generated for, and {@code offsets}, where the
     *     input starts in it. Memory segments start with the unit, and their offsets are not used
     * @param targets the memory of each output, and {@code targetOffsets}, likewise
     * @param start start of the tile in each unit
     * @param size bytes of the tile: whole turns of the loop
     * @param folds receives one vector for each input, then for each output: the xor of its vectors. Unused if the code does
     *     not fold
     */
    void apply(
            Object[] sources, int[] offsets, Object[] targets, int[] targetOffsets, int start, int size, byte[] folds);
}
