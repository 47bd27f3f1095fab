/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * The source of {@link DeviceMemory} and {@link PinnedMemory}: the driver, unless another library manages the GPU's memory in
 * this JVM, as RMM does where cuDF runs. Other sources are found by {@link ServiceLoader}.
 */
public interface MemorySource {
    /** Returns whether this source manages memory of the GPU that the thread is bound to now. Never throws; the thread stays bound. */
    boolean isInCharge();

    /** The name for messages, such as {@code RMM}. */
    String name();

    /**
     * Allocates memory of the GPU, for immediate use by any stream; the thread is bound.
     *
     * @throws GpuException if there is not enough
     */
    DeviceMemory allocate(long bytes);

    /**
     * Allocates page-locked memory of the host; the thread is bound.
     *
     * @throws GpuException if there is not enough
     */
    PinnedMemory allocatePinned(int bytes);

    /** Returns the first source that is in charge, otherwise the driver. Sources that cannot be loaded are skipped. */
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
                        .log(System.Logger.Level.DEBUG, "a source of GPU memory cannot be loaded", e);
            }
        }
    }
}
