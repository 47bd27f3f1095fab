/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;

/**
 * Work that the GPU does in order: copies and launches. Methods return at once; {@link #synchronise} waits. To be used by
 * one thread at a time, bound to the GPU.
 */
public final class CudaStream implements AutoCloseable {
    private final long handle;
    private final boolean owned;

    private CudaStream(long handle, boolean owned) {
        this.handle = handle;
        this.owned = owned;
    }

    static CudaStream create() {
        return new CudaStream(CudaDriver.createStream(), true);
    }

    /** A stream of another library, by CUDA's number of it. That library closes it; {@link #close} does nothing. */
    public static CudaStream of(long handle) {
        return new CudaStream(handle, false);
    }

    /** CUDA's own number of the stream, for other libraries. */
    public long handle() {
        return handle;
    }

    /** Copies the remaining bytes of a direct buffer; it must stay as it is until the copy is done. */
    public void copyToDevice(long address, ByteBuffer from) {
        checkDirect(from);
        if (from.hasRemaining()) {
            CudaDriver.copyToDevice(address, from, handle);
        }
    }

    /** Copies as many bytes as remain in a direct buffer. */
    public void copyToHost(ByteBuffer to, long address) {
        checkDirect(to);
        if (to.hasRemaining()) {
            CudaDriver.copyToHost(to, address, handle);
        }
    }

    /** Copies from one place of the GPU's memory to another; they must not overlap. */
    public void copyOnDevice(long to, long from, long bytes) {
        if (bytes > 0) {
            CudaDriver.copyOnDevice(to, from, bytes, handle);
        }
    }

    /** Sets bytes of the GPU's memory. */
    public void fill(long address, byte value, long bytes) {
        if (bytes > 0) {
            CudaDriver.fill(address, value, bytes, handle);
        }
    }

    /** Further work of this stream starts after the event. */
    public void waitFor(CudaEvent event) {
        CudaDriver.waitForEvent(handle, event.handle());
    }

    /**
     * Waits until everything is done.
     *
     * @throws GpuException if something of it failed
     */
    public void synchronise() {
        CudaDriver.synchronise(handle);
    }

    private static void checkDirect(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException(
                    "The GPU reads and writes direct buffers, best those of PinnedMemory;" + " got " + buffer);
        }
    }

    @Override
    public void close() {
        if (owned) {
            CudaDriver.destroyStream(handle);
        }
    }
}
