/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** An executable program for units whose strips are interleaved in packets. */
interface PacketRunner {
    /** The most groups of one call: scratch memory is for this many. */
    int GROUPS = 16;

    /**
     * Runs the program on some groups of packets.
     *
     * @param arrays the array of each unit, inputs first, then scratch memory; and {@code offsets}, where the unit starts in it
     * @param groups number of groups, at most {@value #GROUPS}
     */
    void run(byte[][] arrays, int[] offsets, int groups);
}
