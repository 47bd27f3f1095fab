/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums in blocks of 128 x 32, a kernel for each scheme that plans choose.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_narrow_none)(PARAMETERS) { gemm_half<NONE, Narrow, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_narrow_global)(PARAMETERS) { gemm_half<GLOBAL, Narrow, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_narrow_thread)(PARAMETERS) { gemm_half<THREAD, Narrow, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_narrow_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Narrow, Patch<Half>>(at, size, zero, NoFault()); }
