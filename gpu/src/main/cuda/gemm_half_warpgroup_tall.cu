/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float16 with float32 sums in blocks of 256 x 128, by Hopper's matrix instruction.
// Only for compute capability 9.0a.
#include "gemm_half_warpgroup.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_half_warpgroup_tall_none)(PARAMETERS) { gemm_half<NONE, WarpgroupTall, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_warpgroup_tall_global)(PARAMETERS) { gemm_half<GLOBAL, WarpgroupTall, Row<Half>>(at, size, zero, NoFault()); }
