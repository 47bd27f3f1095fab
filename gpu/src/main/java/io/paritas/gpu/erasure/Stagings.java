/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.Gpu;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/** The {@link Staging}s of a GPU: one for each thread that computes, up to a limit at which threads wait. */
final class Stagings {
    private static final int MOST = 8;

    private final Gpu gpu;
    private final int bytes;
    private final Semaphore permits = new Semaphore(MOST);
    private final Deque<Staging> idle = new ConcurrentLinkedDeque<>();

    Stagings(Gpu gpu, int bytes) {
        this.gpu = gpu;
        this.bytes = bytes;
    }

    /** Computes the outputs from the inputs, which are on the host. */
    void run(DeviceKernel kernel, Regions inputs, Regions outputs) {
        permits.acquireUninterruptibly();
        try {
            Staging staging = idle.poll();
            if (staging == null) {
                staging = new Staging(gpu, bytes);
            }
            // One that failed is not used again: something may still be on its way through it.
            staging.run(kernel, inputs, outputs);
            idle.push(staging);
        } finally {
            permits.release();
        }
    }
}
