/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * An array of slots with the same number of words each, outside the heap, zero at first. A word is an int, or the bits
 * of a float. Memory is taken in chunks of 1 MiB, or of a slot if that is more, when a slot of theirs is first used, so that a
 * server that begins empty begins at once. Not thread-safe.
 */
final class Slab {
    /** Small, because rows that are asked for while a server recovers lie anywhere, and each has its chunk zeroed. */
    private static final int CHUNK_WORDS = 1 << 18;

    /** Words of 64 bytes. */
    private static final int LINE_WORDS = 16;

    private final long slots;
    private final int words;
    private final int slotsOfAChunk;
    /** Null where none of its slots has been used. */
    private final IntBuffer[] chunks;
    /** The same memory. */
    private final FloatBuffer[] floats;

    /** @param words number of words of a slot */
    Slab(long slots, int words) {
        this.slots = slots;
        this.words = words;
        this.slotsOfAChunk = Math.max(1, CHUNK_WORDS / words);
        this.chunks = new IntBuffer[(int) ((slots + slotsOfAChunk - 1) / slotsOfAChunk)];
        this.floats = new FloatBuffer[chunks.length];
    }

    private int chunk(long slot) {
        int chunk = (int) (slot / slotsOfAChunk);
        if (chunks[chunk] == null) {
            allocate(chunk);
        }
        return chunk;
    }

    private void allocate(int chunk) {
        long left = slots - (long) chunk * slotsOfAChunk;
        int size = (int) Math.min(left, slotsOfAChunk) * words * Integer.BYTES;
        ByteBuffer bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        chunks[chunk] = bytes.asIntBuffer();
        floats[chunk] = bytes.asFloatBuffer();
    }

    private int at(long slot) {
        return (int) (slot % slotsOfAChunk) * words;
    }

    int[] get(long slot) {
        int[] all = new int[words];
        get(slot, 0, all);
        return all;
    }

    /** Copies the first words of a slot. */
    void get(long slot, int[] to, int at, int count) {
        chunks[chunk(slot)].get(at(slot), to, at, count);
    }

    /** Copies words of a slot, from its word {@code from} on, to fill an array. */
    void get(long slot, int from, int[] to) {
        chunks[chunk(slot)].get(at(slot) + from, to);
    }

    /** Copies floats of a slot, from its word {@code from} on. */
    void get(long slot, int from, float[] to, int at, int count) {
        floats[chunk(slot)].get(at(slot) + from, to, at, count);
    }

    /** Reads a word of each line of the caches that the first {@code count} words of a slot take; returns their sum. */
    int touch(long slot, int count) {
        IntBuffer chunk = chunks[chunk(slot)];
        int at = at(slot);
        int sum = chunk.get(at + count - 1);
        for (int i = 0; i < count; i += LINE_WORDS) {
            sum += chunk.get(at + i);
        }
        return sum;
    }

    /** Returns one word of a slot. */
    int word(long slot, int index) {
        return chunks[chunk(slot)].get(at(slot) + index);
    }

    /** Adds one to a word of a slot. */
    void increment(long slot, int index) {
        IntBuffer chunk = chunks[chunk(slot)];
        chunk.put(at(slot) + index, chunk.get(at(slot) + index) + 1);
    }

    void put(long slot, int[] all) {
        put(slot, 0, all);
    }

    /** Replaces words of a slot, from its word {@code from} on. */
    void put(long slot, int from, int[] some) {
        chunks[chunk(slot)].put(at(slot) + from, some);
    }

    /** Replaces words of a slot, from its word {@code from} on, by the bits of floats. */
    void put(long slot, int from, float[] some) {
        floats[chunk(slot)].put(at(slot) + from, some);
    }
}
