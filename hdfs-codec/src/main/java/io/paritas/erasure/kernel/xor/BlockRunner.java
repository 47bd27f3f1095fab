/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** An executable program: runs on one block of each strip. */
interface BlockRunner {
    /**
     * Runs the program. Block i is {@code length} bytes of {@code arrays[i]} from {@code offsets[i]} on. Two blocks are the same or do not
     * overlap. The blocks of one unit's strips are in one array, and so are all scratch blocks.
     */
    void run(byte[][] arrays, int[] offsets, int length);
}
