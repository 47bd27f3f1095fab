/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** Some consecutive statements of a {@link BlockProgram}, over one vector of each packet of a group, group by group. */
interface PacketChunk {
    /**
     * @param arrays where each unit lies, data first, then scratch memory; and {@code offsets}, where it starts there
     * @param groups how many groups of packets
     */
    void apply(byte[][] arrays, int[] offsets, int groups);
}
