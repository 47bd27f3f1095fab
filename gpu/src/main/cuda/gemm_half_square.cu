/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float16 with float32 sums in blocks of 64 x 64, a kernel for each scheme.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_half_square_none)(PARAMETERS) { gemm_half<NONE, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_global)(PARAMETERS) { gemm_half<GLOBAL, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_thread)(PARAMETERS) { gemm_half<THREAD, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_replication)(PARAMETERS) { gemm_half<REPLICATION, Square, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_square_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Square, Row<Half>>(at, size, zero, NoFault()); }
