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
 * The kernel {@code cuda}: computes units of the host on the GPU. Each call crosses the bus twice, so it is for large units; use
 * {@link DeviceKernels} for data that is on the GPU already.
 *
 * <p>Without a GPU, its driver or JCuda it is unavailable, and says why.
 */
public final class CudaKernelProvider implements KernelProvider {
    /** The state that all kernels of this JVM share. */
    private static final class Shared {
        static final StagingPool STAGINGS = new StagingPool(Gpu.get(), Math.toIntExact(GpuSettings.STAGING.get()));
    }

    private final LongSupplier bytesBeforeGenerating;

    /** For {@link java.util.ServiceLoader}. */
    public CudaKernelProvider() {
        this(GpuSettings.GENERATE::get);
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
