/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.RangeFolds;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.Gpu;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/** A pool of {@link Staging}s: one for each thread that computes, up to a limit beyond which threads wait. */
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
            Staging staging = idle.poll();
            if (staging == null) {
                staging = new Staging(gpu, bytes);
            }
            // A failed one is not used again: the GPU may still be writing into it.
            staging.run(kernel, inputs, outputs, folds);
            idle.push(staging);
        } finally {
            permits.release();
        }
    }
}
