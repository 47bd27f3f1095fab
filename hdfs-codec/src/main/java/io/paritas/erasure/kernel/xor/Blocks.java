/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** A program in executable form: runs it on one block of each strip. */
interface Blocks {
    /**
     * Block i is {@code length} bytes of {@code arrays[i]} from {@code offsets[i]} on. Two blocks are the same or do not
     * overlap. The blocks of one unit's strips are in one array, and so are all scratch blocks.
     */
    void run(byte[][] arrays, int[] offsets, int length);
}
