/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure codes on the GPU.
 *
 * <p>The way of a code: a {@link io.paritas.erasure.kernel.Program} over bytes, or a {@link
 * io.paritas.erasure.kernel.xor.Schedule} over strips, becomes {@code StraightLine} code, {@code PtxWriter} writes that as
 * PTX, and {@code GeneratedKernel} launches it; {@code TableKernel} and {@code MaskKernel} compute the product with any
 * matrix without compiling anything. All of these are {@link io.paritas.gpu.erasure.DeviceKernel}s, on data that is on the
 * GPU. For data that is not, {@code CudaKernel} moves it through page-locked memory, chunk by chunk, and {@link
 * io.paritas.gpu.erasure.CudaKernelProvider} is the kernel {@code cuda} of {@link io.paritas.erasure.ErasureCode}.
 */
package io.paritas.gpu.erasure;
