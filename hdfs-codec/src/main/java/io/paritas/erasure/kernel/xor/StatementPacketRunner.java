/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** Runs the program statement by statement; the blocks are the packets of one group. */
record StatementPacketRunner(PacketLayout layout, BlockRunner blocks) implements PacketRunner {
    @Override
    public void run(byte[][] arrays, int[] offsets, int groups) {
        int count = layout.strips() + layout.scratch();
        byte[][] blockArrays = new byte[count][];
        int[] blockOffsets = new int[count];
        for (int block = 0; block < count; block++) {
            blockArrays[block] = arrays[layout.array(block)];
            blockOffsets[block] = offsets[layout.array(block)] + layout.distance(block);
        }
        for (int group = 0; group < groups; group++) {
            blocks.run(blockArrays, blockOffsets, PacketLayout.PACKET);
            for (int block = 0; block < layout.strips(); block++) {
                blockOffsets[block] += layout.groupBytes();
            }
        }
    }
}
