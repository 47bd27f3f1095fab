/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** Some consecutive statements of a {@link BlockProgram}, over one vector of each packet of a group, group by group. */
interface PacketChunk {
    /**
     * Runs the statements.
     *
     * @param arrays the array of each unit, inputs first, then scratch memory; and {@code offsets}, where the unit starts in it
     * @param groups number of groups of packets
     */
    void apply(byte[][] arrays, int[] offsets, int groups);
}
