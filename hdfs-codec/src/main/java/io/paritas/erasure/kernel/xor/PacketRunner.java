/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** A program in executable form, for units whose strips are interleaved in packets. */
interface PacketRunner {
    /** The most groups of one call: for so many there is scratch memory. */
    int GROUPS = 16;

    /**
     * Runs the program on some groups of packets.
     *
     * @param arrays where each unit lies, inputs first, then scratch memory; and {@code offsets}, where it starts there
     * @param groups how many groups, {@value #GROUPS} at most
     */
    void run(byte[][] arrays, int[] offsets, int groups);
}
