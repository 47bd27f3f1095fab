/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Keeps in memory what is written. For one thread. */
final class MemoryChannel implements WritableByteChannel {
    private final ByteBuffer bytes;

    /** @param size bytes that will be written */
    MemoryChannel(int size) {
        this.bytes = ByteBuffer.allocate(size);
    }

    @Override
    public int write(ByteBuffer more) {
        int size = more.remaining();
        bytes.put(more);
        return size;
    }

    /** What was written. */
    ByteBuffer bytes() {
        return bytes.duplicate().flip();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
