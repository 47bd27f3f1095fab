/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;

/**
 * Page-locked memory of the host, which the GPU copies from and to at full speed while the thread goes on. There is little
 * of it: close it.
 */
public final class PinnedMemory implements AutoCloseable {
    private final ByteBuffer buffer;

    /**
     * Takes memory; the thread is bound to the GPU.
     *
     * @throws IllegalArgumentException if no bytes are asked for
     * @throws GpuException if there is not so much
     */
    public PinnedMemory(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("Memory has at least 1 byte; got " + bytes);
        }
        buffer = CudaDriver.allocateHost(bytes);
    }

    /** All of it, in native byte order. Not to be used after {@link #close}. */
    public ByteBuffer buffer() {
        return buffer.duplicate().order(java.nio.ByteOrder.nativeOrder());
    }

    /** Gives the memory back; nothing may copy from or to it any more. */
    @Override
    public void close() {
        CudaDriver.freeHost(buffer);
    }
}
