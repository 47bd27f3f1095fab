/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaModule;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Tables and modules of kernels on the GPU, freed when their kernel is no longer reachable. */
final class DeviceData {
    private static final Cleaner CLEANER = Cleaner.create();

    private DeviceData() {}

    /** Uploads numbers. */
    static DeviceMemory upload(Gpu gpu, int[] words, Object owner) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(words.length * Integer.BYTES).order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().put(words);
        DeviceMemory memory = DeviceMemory.allocate(bytes.remaining());
        close(gpu, memory::close, owner);
        try (CudaStream stream = gpu.newStream()) {
            stream.copyToDevice(memory.address(), bytes);
            stream.synchronise();
        }
        return memory;
    }

    /** Assembles a generated kernel. */
    static CudaModule assemble(Gpu gpu, String name, String ptx, Object owner) {
        gpu.bind();
        CudaModule module = CudaModule.assemble(name, ptx);
        close(gpu, module::close, owner);
        return module;
    }

    private static void close(Gpu gpu, Runnable closing, Object owner) {
        CLEANER.register(owner, () -> {
            gpu.bind();
            closing.run();
        });
    }

    /** The struct {@code Units} of erasure.cu. */
    static long[] units(long[] addresses) {
        return Arrays.copyOf(addresses, ColumnKernel.MAX_UNITS);
    }
}
