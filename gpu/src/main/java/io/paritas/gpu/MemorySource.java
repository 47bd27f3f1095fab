/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Where {@link DeviceMemory} and {@link PinnedMemory} come from: the driver, unless another library manages the GPU's memory
 * in this JVM, as RMM does where cuDF runs. Others are found by {@link ServiceLoader}.
 */
public interface MemorySource {
    /** Whether it manages this JVM's GPU memory now. Never throws. */
    boolean isInCharge();

    /** For people, such as {@code RMM}. */
    String name();

    /**
     * Takes memory of the GPU; the thread is bound, and the memory can be used by any stream at once.
     *
     * @throws GpuException if there is not so much
     */
    DeviceMemory allocate(long bytes);

    /**
     * Takes page-locked memory of the host; the thread is bound.
     *
     * @throws GpuException if there is not so much
     */
    PinnedMemory allocatePinned(int bytes);

    /** The first that is in charge, else the driver. One that cannot be loaded is in charge of nothing. */
    static MemorySource current() {
        Iterator<MemorySource> sources = ServiceLoader.load(MemorySource.class, MemorySource.class.getClassLoader())
                .iterator();
        while (true) {
            try {
                if (!sources.hasNext()) {
                    return new DriverMemory();
                }
                MemorySource source = sources.next();
                if (source.isInCharge()) {
                    return source;
                }
            } catch (ServiceConfigurationError | LinkageError e) {
                System.getLogger(MemorySource.class.getName())
                        .log(System.Logger.Level.DEBUG, "A source of GPU memory cannot be loaded", e);
            }
        }
    }
}
