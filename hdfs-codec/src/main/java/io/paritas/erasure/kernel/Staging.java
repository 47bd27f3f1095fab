/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** A tile of each unit in direct memory, all of which fit into the caches next to a processor. For one thread, until it is closed. */
final class Staging implements AutoCloseable {
    private static final int LINE = 64;
    /** Of the tiles. */
    private static final int BYTES = 64 << 10;
    /** Of all, with room for a step and a line behind each tile, and for the alignment. */
    private static final int ALL = 2 * BYTES;

    /** What is not in use: each processor uses one at a time. */
    private static final BlockingQueue<ByteBuffer> FREE =
            new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

    /** Bytes of each unit: whole steps. A unit has room for fewer than a step more. */
    final int tile;

    private final int room;
    private final ByteBuffer memory;

    Staging(int units, int step) {
        tile = Math.max(BYTES / units / step, 1) * step;
        room = tile + step;
        ByteBuffer free = FREE.poll();
        memory = free == null ? ByteBuffer.allocateDirect(ALL).alignedSlice(LINE) : free;
    }

    /** The memory of some units. */
    ByteBuffer[] units(int first, int count) {
        ByteBuffer[] units = new ByteBuffer[count];
        int distance = room + LINE; // no multiple of a page: stores to a unit do not look like loads of another
        for (int i = 0; i < count; i++) {
            units[i] = memory.slice((first + i) * distance, room);
        }
        return units;
    }

    @Override
    public void close() {
        FREE.offer(memory);
    }
}
