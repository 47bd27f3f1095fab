/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * Memory on the GPU, aligned to 256 bytes, with arbitrary content at first. {@link #close} frees it: wait for every stream with
 * work on it before.
 */
public interface DeviceMemory extends AutoCloseable {
    /** The address of its first byte. */
    long address();

    /** Its size in bytes. */
    long size();

    @Override
    void close();

    /**
     * Allocates memory from this JVM's {@link MemorySource}.
     *
     * @throws IllegalArgumentException if the size is below 1
     * @throws GpuException if there is not enough
     */
    static DeviceMemory allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("memory must have at least 1 byte, got " + bytes);
        }
        try {
            return MemorySource.current().allocate(bytes);
        } catch (GpuException e) {
            throw CudaDriver.noticed(e);
        }
    }
}
