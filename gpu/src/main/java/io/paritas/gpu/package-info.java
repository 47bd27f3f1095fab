/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels on GPUs: columns to device memory, to a kernel, and back to columns.
 *
 * No code yet. Here will live the CUDA driver calls, the kernel modules shipped as resources, and a
 * {@code KernelProvider} that the coding core finds by {@code ServiceLoader} when this jar is on the class path.
 */
package io.paritas.gpu;
