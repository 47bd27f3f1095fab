/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Computes one output of a program, or adds some inputs' share to it, over whole vectors of a tile. */
interface RowKernel {
    /**
     * @param arrays where each input's tile lies, and {@code offsets}, where it starts there
     * @param target where the output's tile lies, and {@code at}, where it starts there
     * @param size the bytes of the tile
     * @return how many bytes, from the tile's start, are done
     */
    int apply(byte[][] arrays, int[] offsets, byte[] target, int at, int size);
}
