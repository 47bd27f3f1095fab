/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums in blocks of 128 x 256, by Hopper's matrix instruction.
// Only for compute capability 9.0a.
#include "gemm_half_warpgroup.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_warpgroup_wide_none)(PARAMETERS) { gemm_half<NONE, WarpgroupWide, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_warpgroup_wide_global)(PARAMETERS) { gemm_half<GLOBAL, WarpgroupWide, Patch<Half>>(at, size, zero, NoFault()); }
