/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;

/**
 * A queue of copies and launches that the GPU runs in order. Methods return at once; {@link #synchronise} waits. One thread at
 * a time may use it, bound to the GPU.
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

    /** Wraps another library's stream, by CUDA's handle. That library closes it; {@link #close} does nothing. */
    public static CudaStream of(long handle) {
        return new CudaStream(handle, false);
    }

    /** CUDA's handle of the stream, for other libraries. */
    public long handle() {
        return handle;
    }

    /** Copies the remaining bytes of a direct buffer, which must not change until the copy is done. */
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

    /** Copies within the GPU's memory; the ranges must not overlap. */
    public void copyOnDevice(long to, long from, long bytes) {
        if (bytes > 0) {
            CudaDriver.copyOnDevice(to, from, bytes, handle);
        }
    }

    /** Fills a range of the GPU's memory. */
    public void fill(long address, byte value, long bytes) {
        if (bytes > 0) {
            CudaDriver.fill(address, value, bytes, handle);
        }
    }

    /** Makes further work of this stream wait for the event. */
    public void waitFor(CudaEvent event) {
        CudaDriver.waitForEvent(handle, event.handle());
    }

    /**
     * Waits until all work of the stream is done.
     *
     * @throws GpuException if some of it failed
     */
    public void synchronise() {
        CudaDriver.synchronise(handle);
    }

    private static void checkDirect(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("a buffer must be direct, best one of PinnedMemory, got " + buffer);
        }
    }

    @Override
    public void close() {
        if (owned) {
            CudaDriver.destroyStream(handle);
        }
    }
}
