/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.RangeFolds;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import java.lang.ref.Reference;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/**
 * A pool of {@link Staging}s: one for each thread that computes, up to a limit beyond which threads wait. Threads are bound to the GPU for as
 * long as they compute.
 */
final class StagingPool {
    private static final int MOST = 8;

    private final Gpu gpu;
    private final int bytes;
    private final Semaphore permits = new Semaphore(MOST);
    private final Deque<Staging> idle = new ConcurrentLinkedDeque<>();

    StagingPool(Gpu gpu, int bytes) {
        this.gpu = gpu;
        this.bytes = bytes;
    }

    /** Computes the outputs from the inputs, which are on the host, and adds both to the folds. */
    void run(DeviceKernel kernel, Regions inputs, Regions outputs, RangeFolds folds) {
        permits.acquireUninterruptibly();
        try {
            gpu.whileBound(() -> runBound(kernel, inputs, outputs, folds));
        } finally {
            permits.release();
            Reference.reachabilityFence(kernel); // it may have been replaced: its tables are in use until now
        }
    }

    private void runBound(DeviceKernel kernel, Regions inputs, Regions outputs, RangeFolds folds) {
        Staging staging = idle.poll();
        if (staging == null) {
            staging = new Staging(gpu, bytes);
        }
        try {
            staging.run(kernel, inputs, outputs, folds);
        } catch (RuntimeException | Error e) {
            giveUp(staging, e);
            throw e;
        }
        idle.push(staging);
    }

    /** What has failed is not used again: chunks of its run are still in it. */
    private static void giveUp(Staging staging, Throwable reason) {
        try {
            staging.close();
        } catch (GpuException e) {
            reason.addSuppressed(e); // a lost GPU: its memory is freed when the process ends
        }
    }
}
