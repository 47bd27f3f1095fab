/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums in blocks of 128 x 128, a kernel for each scheme that needs few registers.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_wide_none)(PARAMETERS) { gemm_half<NONE, Wide, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_wide_global)(PARAMETERS) { gemm_half<GLOBAL, Wide, Patch<Half>>(at, size, zero, NoFault()); }
