/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Closings;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.PinnedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places on the GPU, to each of which checks write what they find, without stopping. They collect until they are cleared. One stream at a
 * time may use them.
 */
public final class Verdicts implements AutoCloseable {
    private static final int HEADER_BYTES = 16;
    private static final int REPORT_BYTES = 16;
    private static final int MAX_REPORTS = 63;
    private static final int BYTES = HEADER_BYTES + MAX_REPORTS * REPORT_BYTES;

    private final int count;
    private final Closings memories = new Closings();
    private final DeviceMemory memory;
    private final PinnedMemory copy;

    /** Creates empty places; the thread is bound to the GPU. */
    public Verdicts(int count, CudaStream stream) {
        this.count = count;
        try {
            memory = memories.add(DeviceMemory.allocate(Math.multiplyExact(count, BYTES)));
            copy = memories.add(PinnedMemory.allocate(Math.multiplyExact(count, BYTES)), PinnedMemory::close);
            clear(stream);
        } catch (RuntimeException | Error e) {
            memories.close();
            throw e;
        }
    }

    /** The address of a place. */
    public long address(int place) {
        return memory.address() + (long) place * BYTES;
    }

    /** Enqueues the clearing of all places. */
    public void clear(CudaStream stream) {
        stream.fill(memory.address(), (byte) 0, memory.size());
    }

    /** Enqueues a copy to the host, of what was found at each place since the last {@link #clear}. */
    public void fetch(CudaStream stream) {
        stream.copyToHost(copy.buffer(), memory.address());
    }

    /** What was found at each place, after the stream has done the last {@link #fetch}. */
    public List<CheckResult> fetched() {
        ByteBuffer bytes = copy.buffer();
        return IntStream.range(0, count)
                .mapToObj(place -> result(bytes, place * BYTES))
                .toList();
    }

    private static CheckResult result(ByteBuffer bytes, int from) {
        int faults = bytes.getInt(from);
        List<CheckResult.Fault> reports = new ArrayList<>();
        for (int i = 0; i < Math.min(faults, MAX_REPORTS); i++) {
            int at = from + HEADER_BYTES + i * REPORT_BYTES;
            reports.add(new CheckResult.Fault(
                    bytes.getInt(at), bytes.getInt(at + 4), bytes.getFloat(at + 8), bytes.getFloat(at + 12)));
        }
        return new CheckResult(faults, bytes.getInt(from + 4), reports);
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        memories.close();
    }
}
