/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure codes on the GPU.
 *
 * <p>A {@link io.paritas.erasure.kernel.Program} over bytes, or a {@link
 * io.paritas.erasure.kernel.xor.ScheduledProgram} over strips, becomes a {@code StraightLineProgram}. {@code PtxWriter} writes it as
 * PTX, and {@code GeneratedKernel} launches it. {@code TableKernel} and {@code MaskKernel} compute products with any matrix without
 * compiling. All of these are {@link io.paritas.gpu.erasure.DeviceKernel}s, on data that is on the
 * GPU. For data that is not, {@code CudaKernel} moves it through page-locked memory, chunk by chunk, and {@link
 * io.paritas.gpu.erasure.CudaKernelProvider} is the kernel {@code cuda} of {@link io.paritas.erasure.ErasureCode}.
 */
package io.paritas.gpu.erasure;
