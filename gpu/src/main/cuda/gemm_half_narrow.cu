/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float16 with float32 sums in blocks of 128 x 32, a kernel for each scheme that plans choose.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_half_narrow_none)(PARAMETERS) { gemm_half<NONE, Narrow, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_narrow_global)(PARAMETERS) { gemm_half<GLOBAL, Narrow, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_narrow_thread)(PARAMETERS) { gemm_half<THREAD, Narrow, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_narrow_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Narrow, Row<Half>>(at, size, zero, NoFault()); }
