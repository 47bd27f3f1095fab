/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;

/**
 * A small buffer on the GPU to which layers write what their checks find, without stopping. It collects the faults of any
 * number of layers until it is cleared. One stream at a time may use it.
 */
public final class FaultBuffer implements AutoCloseable {
    private final Verdicts verdict;
    private DeviceMemory scratch;

    /** Creates an empty buffer; the thread is bound to the GPU. */
    public FaultBuffer(CudaStream stream) {
        verdict = new Verdicts(1, stream);
        try {
            scratch = DeviceMemory.allocate(1);
        } catch (RuntimeException | Error e) {
            verdict.close();
            throw e;
        }
    }

    /** Enqueues the clearing of the buffer. */
    public void clear(CudaStream stream) {
        verdict.clear(stream);
    }

    /** Waits for the stream, and returns what was found since the last {@link #clear}. */
    public CheckResult read(CudaStream stream) {
        verdict.fetch(stream);
        stream.synchronise();
        return verdict.fetched().get(0);
    }

    long address() {
        return verdict.address(0);
    }

    /** Returns memory for what a check keeps between two launches; the next call may return the same memory. */
    long scratch(long floats, CudaStream stream) {
        long bytes = floats * Float.BYTES;
        if (scratch.size() < bytes) {
            DeviceMemory larger = DeviceMemory.allocate(bytes);
            stream.synchronise();
            scratch.close();
            scratch = larger;
        }
        return scratch.address();
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        verdict.close();
        scratch.close();
    }
}
