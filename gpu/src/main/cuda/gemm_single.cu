/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float32, a kernel for each scheme.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_single_none)(PARAMETERS) { gemm_single<NONE, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_global)(PARAMETERS) { gemm_single<GLOBAL, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_thread)(PARAMETERS) { gemm_single<THREAD, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_replication)(PARAMETERS) { gemm_single<REPLICATION, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_duplication)(PARAMETERS) { gemm_single<DUPLICATION, Row<Single>>(at, size, zero, NoFault()); }
