/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.ServiceLoader;

/**
 * Where {@link DeviceMemory} comes from: the driver, unless another library manages the GPU's memory in this JVM, as RMM
 * does where cuDF runs. Others are found by {@link ServiceLoader}.
 */
public interface MemorySource {
    /** Whether it manages this JVM's GPU memory now. Never throws. */
    boolean isInCharge();

    /** For people, such as {@code RMM}. */
    String name();

    /**
     * Takes memory; the thread is bound, and the memory can be used by any stream at once.
     *
     * @throws GpuException if there is not so much
     */
    DeviceMemory allocate(long bytes);

    /** The first that is in charge, else the driver. */
    static MemorySource current() {
        for (MemorySource source : ServiceLoader.load(MemorySource.class, MemorySource.class.getClassLoader())) {
            if (source.isInCharge()) {
                return source;
            }
        }
        return new DriverMemory();
    }
}
