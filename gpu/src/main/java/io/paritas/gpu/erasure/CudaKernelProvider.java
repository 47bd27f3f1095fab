/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuSettings;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The kernel {@code cuda}: units of the host are computed on the GPU. Each call takes two trips over the bus, so this is for
 * large units; data that is on the GPU already goes to {@link DeviceKernels}.
 *
 * <p>Harmless without a GPU, its driver or JCuda: it is then unavailable, and says why.
 */
public final class CudaKernelProvider implements KernelProvider {
    /** What all kernels of this JVM share. */
    private static final class Shared {
        static final Stagings STAGINGS = new Stagings(Gpu.get(), GpuSettings.stagingBytes());
    }

    private final LongSupplier bytesBeforeGenerating;

    /** For {@link java.util.ServiceLoader}. */
    public CudaKernelProvider() {
        this(GpuSettings::bytesBeforeGenerating);
    }

    CudaKernelProvider(LongSupplier bytesBeforeGenerating) {
        this.bytesBeforeGenerating = bytesBeforeGenerating;
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public Optional<String> unavailable() {
        return Gpu.unavailable();
    }

    @Override
    public String description() {
        return Gpu.get().toString();
    }

    @Override
    public boolean accelerates() {
        return true;
    }

    @Override
    public Kernel compile(Program program) {
        return new CudaKernel(Gpu.get(), Shared.STAGINGS, program, bytesBeforeGenerating.getAsLong());
    }
}
