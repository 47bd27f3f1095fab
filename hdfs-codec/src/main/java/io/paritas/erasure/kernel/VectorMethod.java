/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Generated code that computes some outputs of a program, or adds some inputs' share to them, over whole vectors. */
interface VectorMethod {
    /**
     * @param sources where each input's tile lies, and {@code offsets}, where it starts there; of the type that the code
     *     was generated for: {@code byte[]}, or direct memory
     * @param targets where each output's tile lies, and {@code targetOffsets}, where it starts there; likewise
     * @param size the bytes of the tile, a multiple of those that one turn of the loop computes
     * @param folds for each input, then each output, one vector: the xor of its vectors is added to it. Unused where the
     *     code does not fold
     */
    void apply(Object[] sources, int[] offsets, Object[] targets, int[] targetOffsets, int size, byte[] folds);
}
