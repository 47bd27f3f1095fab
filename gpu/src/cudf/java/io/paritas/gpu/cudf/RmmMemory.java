/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import ai.rapids.cudf.Cuda;
import ai.rapids.cudf.CudaFatalException;
import ai.rapids.cudf.DeviceMemoryBuffer;
import ai.rapids.cudf.HostMemoryBuffer;
import ai.rapids.cudf.PinnedMemoryPool;
import ai.rapids.cudf.Rmm;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.MemorySource;
import io.paritas.gpu.PinnedMemory;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Memory from RMM and cuDF's pinned pool, where Spark's RAPIDS plugin, for example, has set them up. */
public final class RmmMemory implements MemorySource {
    private record Block(DeviceMemoryBuffer buffer) implements DeviceMemory {
        @Override
        public long address() {
            return buffer.getAddress();
        }

        @Override
        public long size() {
            return buffer.getLength();
        }

        @Override
        public void close() {
            buffer.close();
        }
    }

    /** Whether cuDF works here; the one function that is safe without a GPU. */
    private static final class Cudf {
        static final boolean WORKS = askCudf(Cuda::isEnvCompatibleForTesting);
    }

    /** RMM's GPU, which is the same until the process ends. */
    private static final class RmmGpu {
        static final int NUMBER = askCudf(Cuda::getDevice);
    }

    /** In a new thread: cuDF binds a thread that calls it to its GPU the first time, and believes from then on that it still is. */
    private static <T> T askCudf(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, task -> new Thread(task, "paritas-cudf").start())
                .join();
    }

    /** RMM has memory of one GPU, to which an allocation binds the thread. */
    @Override
    public boolean isInCharge() {
        try {
            return Cudf.WORKS
                    && Rmm.isInitialized()
                    && RmmGpu.NUMBER == Gpu.current().ordinal();
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }

    @Override
    public String name() {
        return "RMM";
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        DeviceMemoryBuffer buffer = null;
        try {
            buffer = DeviceMemoryBuffer.allocate(bytes, Cuda.DEFAULT_STREAM);
            Cuda.DEFAULT_STREAM.sync(); // only then may other streams use it
            return new Block(buffer);
        } catch (OutOfMemoryError | RuntimeException e) {
            GpuException failure = failure(bytes, e);
            close(buffer, failure);
            throw failure;
        }
    }

    private static void close(DeviceMemoryBuffer buffer, GpuException failure) {
        try {
            if (buffer != null) {
                buffer.close();
            }
        } catch (RuntimeException e) { // of a GPU that is lost
            failure.addSuppressed(e);
        }
    }

    /** What cuDF threw, as those who use GPUs expect it. */
    static GpuException failure(long bytes, Throwable e) {
        if (isOutOfMemory(e)) {
            return GpuException.outOfMemory(
                    "RMM has no " + bytes + " bytes of GPU memory left, of what spark.rapids.memory.gpu.allocFraction"
                            + " gives it: " + e.getMessage(),
                    e);
        }
        String sentence = "RMM cannot allocate " + bytes + " bytes of GPU memory: " + e.getMessage();
        return e instanceof CudaFatalException ? GpuException.lost(sentence, e) : new GpuException(sentence, e);
    }

    /** Also what the RAPIDS plugin throws in threads of tasks: GpuRetryOOM, GpuSplitAndRetryOOM, which extend GpuOOM. */
    static boolean isOutOfMemory(Throwable e) {
        return e instanceof OutOfMemoryError || e.getClass().getSimpleName().endsWith("OOM");
    }

    /** Allocates from the pool if it has enough; otherwise from ordinary memory, where copies are slower. */
    @Override
    public PinnedMemory allocatePinned(int bytes) {
        HostMemoryBuffer buffer = PinnedMemoryPool.allocate(bytes);
        return new PinnedMemory(buffer.asByteBuffer(0, bytes), buffer::close);
    }
}
