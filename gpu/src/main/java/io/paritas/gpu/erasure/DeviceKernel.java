/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaStream;

/** A product of a matrix with units that are on the GPU. Thread-safe: any number of threads may use one, each its stream. */
public interface DeviceKernel {
    /**
     * Puts the product into a stream, and returns at once. Whoever wants the outputs waits for the stream.
     *
     * <p>Inputs are only read and outputs only written; no output may overlap an input or another output. The thread is
     * bound to the GPU.
     *
     * @throws IllegalArgumentException if the counts are not the product's, the lengths differ, or the length is none that
     *     the units of the product can have
     */
    void apply(DeviceRegions inputs, DeviceRegions outputs, CudaStream stream);
}
