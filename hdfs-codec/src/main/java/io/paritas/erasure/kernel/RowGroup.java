/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Computes some outputs of a program, or adds some inputs' share to them, over whole vectors of a tile. */
interface RowGroup {
    /**
     * @param arrays where each input's tile lies, and {@code offsets}, where it starts there
     * @param targets where each output's tile lies, and {@code targetOffsets}, where it starts there
     * @param size the bytes of the tile
     * @return how many bytes, from the tile's start, are done
     */
    int apply(byte[][] arrays, int[] offsets, byte[][] targets, int[] targetOffsets, int size);
}
