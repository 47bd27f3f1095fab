/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float32 in blocks of 128 x 128, a kernel for each scheme that needs few registers.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_single_wide_none)(PARAMETERS) { gemm_single<NONE, SingleWide, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_wide_global)(PARAMETERS) { gemm_single<GLOBAL, SingleWide, Row<Single>>(at, size, zero, NoFault()); }
