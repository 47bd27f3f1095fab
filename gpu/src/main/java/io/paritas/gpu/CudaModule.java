/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A module of kernels, assembled for the GPU. Thread-safe. */
public final class CudaModule implements AutoCloseable {
    private final String name;
    private final long handle;
    private final Map<String, CudaFunction> functions = new ConcurrentHashMap<>();

    private CudaModule(String name, long handle) {
        this.name = name;
        this.handle = handle;
    }

    /**
     * Assembles PTX for the GPU that this thread is bound to. Takes a tenth of a second or more for a new text; the driver caches
     * results on disk.
     *
     * @param name for messages
     * @throws GpuException if the driver refuses it, with the assembler's log
     */
    public static CudaModule assemble(String name, String ptx) {
        try {
            return new CudaModule(name, CudaDriver.loadModule(ptx));
        } catch (GpuException e) {
            throw e.explained("the kernels '" + name + "' cannot be loaded: " + e.getMessage());
        }
    }

    /**
     * Returns a kernel of the module.
     *
     * @throws GpuException if there is no kernel of that name
     */
    public CudaFunction function(String kernel) {
        return functions.computeIfAbsent(kernel, this::find);
    }

    private CudaFunction find(String kernel) {
        try {
            return new CudaFunction(kernel, CudaDriver.function(handle, kernel));
        } catch (GpuException e) {
            throw e.explained("the kernels '" + name + "' have no '" + kernel + "': " + e.getMessage());
        }
    }

    /** Unloads the kernels. None may run any more; the thread is bound. */
    @Override
    public void close() {
        CudaDriver.unloadModule(handle);
    }
}
