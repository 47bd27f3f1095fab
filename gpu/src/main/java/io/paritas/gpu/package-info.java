/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels on GPUs, through CUDA's driver alone: {@link io.paritas.gpu.Gpu} (whether there is a GPU, and which), {@link
 * io.paritas.gpu.CudaModule} and {@link io.paritas.gpu.CudaFunction} (kernels, shipped as PTX or generated), {@link
 * io.paritas.gpu.CudaStream}, {@link io.paritas.gpu.DeviceMemory} and {@link io.paritas.gpu.PinnedMemory}.
 *
 * <p>Only {@code CudaDriver} knows JCuda. Where there is no GPU, or no JCuda on the class path, {@link
 * io.paritas.gpu.Gpu#unavailable} says why, and everything else works without. The erasure kernels are in {@code
 * io.paritas.gpu.erasure}, layers and coded inference in {@code io.paritas.gpu.nn}. {@code docs/gpu.md} is for users of Spark
 * and HDFS, {@code docs/gpu-library.md} for programs with data on a GPU.
 */
package io.paritas.gpu;
