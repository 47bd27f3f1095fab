/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/** A kernel, ready to be launched. Thread-safe. */
public final class CudaFunction {
    /** The dynamic shared memory that a kernel may use without an attribute. */
    private static final int FREE_SHARED_BYTES = 48 << 10;

    private static final int MAX_DYNAMIC_SHARED_BYTES = 8;

    private final String name;
    private final long handle;

    CudaFunction(String name, long handle) {
        this.name = name;
        this.handle = handle;
    }

    /**
     * Enqueues a launch on a stream, and returns at once.
     *
     * @param arguments the kernel's parameters in order: a {@code Long} (a device address or 64-bit number), an {@code
     *     Integer}, a {@code Float}, or an array of one of these for a struct that is passed by value
     * @throws GpuException if the driver refuses the launch; a failure of the kernel is thrown to those who wait for the stream
     */
    public void launch(LaunchShape shape, CudaStream stream, Object... arguments) {
        if (shape.sharedBytes() > FREE_SHARED_BYTES) {
            CudaDriver.setFunctionAttribute(handle, MAX_DYNAMIC_SHARED_BYTES, shape.sharedBytes());
        }
        CudaDriver.launch(handle, shape, stream.handle(), arguments);
    }

    @Override
    public String toString() {
        return name;
    }
}
