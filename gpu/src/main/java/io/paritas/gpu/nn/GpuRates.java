/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import java.util.function.DoubleSupplier;

/**
 * Measured rates of this GPU: arithmetic in our kernels, and copies of its memory. A layer whose arithmetic intensity is below the
 * ratio of the two is bound by memory, and has time to spare for checks (thesis, 4.3).
 *
 * @param operations multiplications and additions a second, in a large GEMM without a check
 * @param bytes bytes read and written a second, in a large copy
 */
public record GpuRates(double operations, double bytes) {
    private static final int TRIALS = 5;
    /** Seconds of a run from which on the time to launch it no longer counts. */
    private static final double LONG_ENOUGH = 1e-3;

    private static final int SMALLEST_SIDE = 128;
    private static final int LARGEST_SIDE = 4096;
    private static final long SMALLEST_COPY = 1L << 20;
    private static final long LARGEST_COPY = 1L << 29;

    /**
     * Measures the rates of the GPU that the thread is bound to: doubles the sizes until a run takes a millisecond, and uses up to a GiB of the
     * GPU's memory.
     *
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static GpuRates measure(Precision precision) {
        return new GpuRates(multiplication(precision), copying());
    }

    private static double multiplication(Precision precision) {
        double rate = 0;
        double seconds = 0;
        for (int side = SMALLEST_SIDE; side <= LARGEST_SIDE && seconds < LONG_ENOUGH; side *= 2) {
            try (LayerTimer timer = LayerTimer.gemm(precision, side, side, side)) {
                seconds = least(() -> timer.seconds(Scheme.NONE, 1).orElseThrow());
            }
            rate = Math.max(rate, 2.0 * side * side * side / seconds);
        }
        return rate;
    }

    private static double copying() {
        double rate = 0;
        double seconds = 0;
        for (long bytes = SMALLEST_COPY; bytes <= LARGEST_COPY && seconds < LONG_ENOUGH; bytes *= 2) {
            long size = bytes;
            try (CudaStream stream = Gpu.current().newStream();
                    DeviceMemory from = DeviceMemory.allocate(size);
                    DeviceMemory to = DeviceMemory.allocate(size)) {
                stream.fill(from.address(), (byte) 1, size);
                seconds = least(() -> copy(from, to, stream));
            }
            rate = 2.0 * size / seconds; // not the largest: what fits into a cache is faster
        }
        return rate;
    }

    private static double copy(DeviceMemory from, DeviceMemory to, CudaStream stream) {
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            start.record(stream);
            stream.copyOnDevice(to.address(), from.address(), from.size());
            end.record(stream);
            end.synchronise();
            return end.millisecondsSince(start) / 1000;
        }
    }

    private static double least(DoubleSupplier seconds) {
        double least = Double.MAX_VALUE;
        for (int trial = 0; trial < TRIALS; trial++) {
            least = Math.min(least, seconds.getAsDouble());
        }
        return least;
    }
}
