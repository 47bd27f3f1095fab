/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** A point in a stream: to wait for, and to measure from. */
public final class CudaEvent implements AutoCloseable {
    private final long handle = CudaDriver.createEvent();

    long handle() {
        return handle;
    }

    /** Moves the event behind what is in the stream now. */
    public void record(CudaStream stream) {
        CudaDriver.recordEvent(handle, stream.handle());
    }

    /** Waits for the event. */
    public void synchronise() {
        CudaDriver.synchroniseEvent(handle);
    }

    /** The time from an earlier event to this one, both of which have happened. */
    public double millisecondsSince(CudaEvent earlier) {
        return CudaDriver.millisecondsBetween(earlier.handle, handle);
    }

    @Override
    public void close() {
        CudaDriver.destroyEvent(handle);
    }
}
