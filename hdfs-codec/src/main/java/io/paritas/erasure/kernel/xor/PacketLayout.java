/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/**
 * The places of a {@link BlockProgram}'s blocks in interleaved units: a unit is a sequence of groups of w packets, and packet b
 * of each group belongs to strip b.
 *
 * @param w packets of a group
 * @param inputs number of units read
 * @param outputs number of units written
 * @param scratch number of blocks beside those of strips
 */
record PacketLayout(int w, int inputs, int outputs, int scratch) {
    /** Bytes of a packet: a cache line, and the widest vector there is. Part of the stored format. */
    static final int PACKET = 64;

    /** The number of units read or written. */
    int units() {
        return inputs + outputs;
    }

    /** The number of blocks of strips. */
    int strips() {
        return w * units();
    }

    /** Bytes of a unit's group. */
    int groupBytes() {
        return w * PACKET;
    }

    /** Bytes of scratch memory for one group. */
    int scratchBytes() {
        return scratch * PACKET;
    }

    boolean isScratch(int block) {
        return block >= strips();
    }

    /** The index of the block's array: its unit's, or the last one for scratch. */
    int array(int block) {
        return isScratch(block) ? units() : block / w;
    }

    /** The distance of the block's packet from the start of its group, in bytes. */
    int distance(int block) {
        return PACKET * (isScratch(block) ? block - strips() : block % w);
    }
}
