/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.List;

/**
 * Launches that were recorded once, to be replayed by one call, as often as wanted and on any stream: one by one, each takes
 * microseconds of the host. Thread-safe, if no two threads replay at a time what writes to the same memory.
 */
public final class CudaGraph implements AutoCloseable {
    private final long executable;

    private CudaGraph(long executable) {
        this.executable = executable;
    }

    /**
     * Records launches, in their order; none of them runs. Kernels that have never run should run once before, because the driver may
     * load them then.
     *
     * @param stream is used for recording, and has no other work meanwhile
     * @throws GpuException if the driver refuses a launch
     */
    public static CudaGraph record(List<Launch> launches, CudaStream stream) {
        CudaDriver.beginCapture(stream.handle());
        long graph;
        try {
            launches.forEach(launch -> launch.enqueue(stream));
        } catch (RuntimeException | Error e) {
            giveUp(stream, e);
            throw e;
        }
        graph = CudaDriver.endCapture(stream.handle());
        try {
            return new CudaGraph(CudaDriver.instantiate(graph));
        } finally {
            CudaDriver.destroyGraph(graph);
        }
    }

    /** A stream that still records is of no use. */
    private static void giveUp(CudaStream stream, Throwable reason) {
        try {
            CudaDriver.destroyGraph(CudaDriver.endCapture(stream.handle()));
        } catch (GpuException e) {
            reason.addSuppressed(e);
        }
    }

    /** Enqueues all launches on a stream, and returns at once. */
    public void replay(CudaStream stream) {
        CudaDriver.launchGraph(executable, stream.handle());
    }

    /** Frees what was recorded; no replay may run any more. */
    @Override
    public void close() {
        CudaDriver.destroyExecutable(executable);
    }
}
