/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaStream;

/** A product of a matrix with units on the GPU. Thread-safe, if each thread uses a stream of its own. */
public interface DeviceKernel {
    /**
     * Enqueues the product on a stream, and returns at once. Wait for the stream before reading the outputs, and keep this kernel
     * reachable until then ({@link java.lang.ref.Reference#reachabilityFence}): its tables are freed with it.
     *
     * <p>Inputs are only read and outputs only written; no output may overlap an input or another output. The thread is
     * bound to the GPU.
     *
     * @throws IllegalArgumentException if the counts are not the product's, the lengths differ, or the length is not a multiple
     *     of the strips in a unit
     */
    void apply(DeviceRegions inputs, DeviceRegions outputs, CudaStream stream);
}
