/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Page-locked memory of the host, which the GPU copies from and to at full speed while the thread goes on. It is scarce: close
 * it.
 */
public final class PinnedMemory implements AutoCloseable {
    private final ByteBuffer buffer;
    private final Runnable closing;

    /**
     * For a {@link MemorySource}.
     *
     * @param buffer the memory: a direct buffer
     * @param closing frees it
     */
    public PinnedMemory(ByteBuffer buffer, Runnable closing) {
        this.buffer = buffer;
        this.closing = closing;
    }

    /**
     * Allocates memory from this JVM's {@link MemorySource}; the thread is bound to the GPU.
     *
     * @throws IllegalArgumentException if the size is below 1
     * @throws GpuException if there is not enough
     */
    public static PinnedMemory allocate(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("memory must have at least 1 byte, got " + bytes);
        }
        return MemorySource.current().allocatePinned(bytes);
    }

    /** Returns all of it, in native byte order. Must not be used after {@link #close}. */
    public ByteBuffer buffer() {
        return buffer.duplicate().clear().order(ByteOrder.nativeOrder());
    }

    /** Frees the memory; nothing may copy from or to it any more. */
    @Override
    public void close() {
        closing.run();
    }
}
