/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * Memory on the GPU, aligned to 256 bytes; its first content is arbitrary. Closing it gives it back: whoever still has work
 * on it in a stream waits for the stream before.
 */
public interface DeviceMemory extends AutoCloseable {
    /** Where it starts. */
    long address();

    /** How many bytes it has. */
    long size();

    @Override
    void close();

    /**
     * Takes memory from this JVM's {@link MemorySource}.
     *
     * @throws IllegalArgumentException if no bytes are asked for
     * @throws GpuException if there is not so much
     */
    static DeviceMemory allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("Memory has at least 1 byte; got " + bytes);
        }
        return MemorySource.current().allocate(bytes);
    }
}
