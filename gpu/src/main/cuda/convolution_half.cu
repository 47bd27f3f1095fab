/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums, a kernel for each scheme.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_none)(PARAMETERS) { gemm_half<NONE, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_global)(PARAMETERS) { gemm_half<GLOBAL, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_thread)(PARAMETERS) { gemm_half<THREAD, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_replication)(PARAMETERS) { gemm_half<REPLICATION, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Patch<Half>>(at, size, zero, NoFault()); }
