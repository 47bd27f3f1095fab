/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/** An array of slots with the same number of words each, outside the heap, zero at first. Not thread-safe. */
final class Slab {
    private static final int CHUNK_WORDS = 1 << 24;

    private final int words;
    private final int slotsOfAChunk;
    private final IntBuffer[] chunks;

    /** @param words number of words of a slot, at most 2^24 */
    Slab(long slots, int words) {
        this.words = words;
        this.slotsOfAChunk = CHUNK_WORDS / words;
        this.chunks = new IntBuffer[(int) ((slots + slotsOfAChunk - 1) / slotsOfAChunk)];
        for (int chunk = 0; chunk < chunks.length; chunk++) {
            long left = slots - (long) chunk * slotsOfAChunk;
            int size = (int) Math.min(left, slotsOfAChunk) * words * Integer.BYTES;
            chunks[chunk] = ByteBuffer.allocateDirect(size)
                    .order(ByteOrder.nativeOrder())
                    .asIntBuffer();
        }
    }

    int[] get(long slot) {
        int[] all = new int[words];
        chunks[(int) (slot / slotsOfAChunk)].get((int) (slot % slotsOfAChunk) * words, all);
        return all;
    }

    void put(long slot, int[] all) {
        chunks[(int) (slot / slotsOfAChunk)].put((int) (slot % slotsOfAChunk) * words, all, 0, words);
    }
}
