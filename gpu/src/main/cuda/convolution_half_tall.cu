/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums in blocks of 128 x 64, a kernel for each scheme.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_tall_none)(PARAMETERS) { gemm_half<NONE, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_global)(PARAMETERS) { gemm_half<GLOBAL, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_thread)(PARAMETERS) { gemm_half<THREAD, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_replication)(PARAMETERS) { gemm_half<REPLICATION, Tall, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_tall_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Tall, Patch<Half>>(at, size, zero, NoFault()); }
