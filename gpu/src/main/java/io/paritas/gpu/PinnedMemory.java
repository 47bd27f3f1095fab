/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Page-locked memory of the host, which the GPU copies from and to at full speed while the thread goes on. There is little
 * of it: close it.
 */
public final class PinnedMemory implements AutoCloseable {
    private final ByteBuffer buffer;
    private final Runnable closing;

    /**
     * For a {@link MemorySource}.
     *
     * @param buffer the memory: a direct buffer
     * @param closing gives it back
     */
    public PinnedMemory(ByteBuffer buffer, Runnable closing) {
        this.buffer = buffer;
        this.closing = closing;
    }

    /**
     * Takes memory from this JVM's {@link MemorySource}; the thread is bound to the GPU.
     *
     * @throws IllegalArgumentException if no bytes are asked for
     * @throws GpuException if there is not so much
     */
    public static PinnedMemory allocate(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("Memory has at least 1 byte; got " + bytes);
        }
        return MemorySource.current().allocatePinned(bytes);
    }

    /** All of it, in native byte order. Not to be used after {@link #close}. */
    public ByteBuffer buffer() {
        return buffer.duplicate().clear().order(ByteOrder.nativeOrder());
    }

    /** Gives the memory back; nothing may copy from or to it any more. */
    @Override
    public void close() {
        closing.run();
    }
}
