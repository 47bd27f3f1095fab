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
    /** Null until it is needed, as are the others. */
    private DeviceMemory scratch;

    private DeviceMemory arrivals;
    private DeviceMemory splitK;

    /** Creates an empty buffer; the thread is bound to the GPU. */
    public FaultBuffer(CudaStream stream) {
        verdict = new Verdicts(1, stream);
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
        scratch = atLeast(scratch, floats * Float.BYTES, stream);
        return scratch.address();
    }

    /** Returns so many int32 that are 0, for products to count in. */
    long arrivals(int count, CudaStream stream) {
        arrivals = zeros(arrivals, (long) count * Integer.BYTES, stream);
        return arrivals.address();
    }

    /** Returns the memory of {@link SplitK}. */
    long splitK(CudaStream stream) {
        splitK = zeros(splitK, SplitK.bytes(), stream);
        return splitK.address();
    }

    /** Returns the memory, or a larger one in its place, of zeros. */
    private static DeviceMemory zeros(DeviceMemory memory, long bytes, CudaStream stream) {
        DeviceMemory enough = atLeast(memory, bytes, stream);
        if (enough != memory) {
            stream.fill(enough.address(), (byte) 0, enough.size());
        }
        return enough;
    }

    /** Returns the memory, or a larger one in its place. */
    private static DeviceMemory atLeast(DeviceMemory memory, long bytes, CudaStream stream) {
        if (memory != null && memory.size() >= bytes) {
            return memory;
        }
        DeviceMemory larger = DeviceMemory.allocate(bytes);
        if (memory != null) {
            stream.synchronise();
            memory.close();
        }
        return larger;
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        verdict.close();
        if (scratch != null) {
            scratch.close();
        }
        if (arrivals != null) {
            arrivals.close();
        }
        if (splitK != null) {
            splitK.close();
        }
    }
}
