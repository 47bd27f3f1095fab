/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** A point in a stream, to wait for and to measure time from. */
public final class CudaEvent implements AutoCloseable {
    private final long handle = CudaDriver.createEvent();

    long handle() {
        return handle;
    }

    /** Records the event behind all work that is in the stream now. */
    public void record(CudaStream stream) {
        CudaDriver.recordEvent(handle, stream.handle());
    }

    /** Waits for the event. */
    public void synchronise() {
        CudaDriver.synchroniseEvent(handle);
    }

    /** Returns the time from an earlier event to this one. Both must have happened. */
    public double millisecondsSince(CudaEvent earlier) {
        return CudaDriver.millisecondsBetween(earlier.handle, handle);
    }

    @Override
    public void close() {
        CudaDriver.destroyEvent(handle);
    }
}
