/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A small buffer on the GPU to which layers write what their checks find, without stopping. It collects the faults of any
 * number of layers until it is cleared. One stream at a time may use it.
 */
public final class FaultBuffer implements AutoCloseable {
    private static final int HEADER_BYTES = 16;
    private static final int REPORT_BYTES = 16;
    private static final int MAX_REPORTS = 63;
    private static final int BYTES = HEADER_BYTES + MAX_REPORTS * REPORT_BYTES;

    private final DeviceMemory memory = DeviceMemory.allocate(BYTES);
    private DeviceMemory scratch = DeviceMemory.allocate(1);

    /** Creates an empty buffer; the thread is bound to the GPU. */
    public FaultBuffer(CudaStream stream) {
        clear(stream);
    }

    /** Enqueues the clearing of the buffer. */
    public void clear(CudaStream stream) {
        stream.fill(memory.address(), (byte) 0, BYTES);
    }

    /** Waits for the stream, and returns what was found since the last {@link #clear}. */
    public CheckResult read(CudaStream stream) {
        ByteBuffer bytes = DeviceValues.buffer(BYTES);
        stream.copyToHost(bytes, memory.address());
        stream.synchronise();
        int faults = bytes.getInt(0);
        List<CheckResult.Fault> reports = new ArrayList<>();
        for (int i = 0; i < Math.min(faults, MAX_REPORTS); i++) {
            int at = HEADER_BYTES + i * REPORT_BYTES;
            reports.add(new CheckResult.Fault(
                    bytes.getInt(at), bytes.getInt(at + 4), bytes.getFloat(at + 8), bytes.getFloat(at + 12)));
        }
        return new CheckResult(faults, bytes.getInt(4), reports);
    }

    long address() {
        return memory.address();
    }

    /** Returns memory for what a check keeps between two launches; the next call may return the same memory. */
    long scratch(long floats, CudaStream stream) {
        long bytes = floats * Float.BYTES;
        if (scratch.size() < bytes) {
            stream.synchronise();
            scratch.close();
            scratch = DeviceMemory.allocate(bytes);
        }
        return scratch.address();
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        memory.close();
        scratch.close();
    }
}
