/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/**
 * Where the blocks of a {@link BlockProgram} are when units are interleaved: a unit is a sequence of groups of w packets,
 * and packet b of each group belongs to strip b.
 *
 * @param w the packets of a group
 * @param inputs how many units are read
 * @param outputs how many units are written
 * @param scratch how many blocks there are beside those of strips
 */
record PacketLayout(int w, int inputs, int outputs, int scratch) {
    /** Bytes of a packet: a cache line, and the widest vector there is. Part of the stored format. */
    static final int PACKET = 64;

    /** How many units are read or written. */
    int units() {
        return inputs + outputs;
    }

    /** How many blocks are those of strips. */
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

    /** The number of the array that the block is in: its unit's, or the last one. */
    int array(int block) {
        return isScratch(block) ? units() : block / w;
    }

    /** How far the block's packet is from the start of its group. */
    int distance(int block) {
        return PACKET * (isScratch(block) ? block - strips() : block % w);
    }
}
