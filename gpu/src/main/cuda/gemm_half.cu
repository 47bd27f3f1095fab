/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float16 with float32 sums, a kernel for each scheme.
#include "gemm_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_half_none)(PARAMETERS) { gemm_half<NONE, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_global)(PARAMETERS) { gemm_half<GLOBAL, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_thread)(PARAMETERS) { gemm_half<THREAD, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_replication)(PARAMETERS) { gemm_half<REPLICATION, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(gemm_half_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Row<Half>>(at, size, zero, NoFault()); }
