/* SPDX-License-Identifier: Apache-2.0 */
// GEMMs of float32 in blocks of 128 x 64, a kernel for each scheme.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(gemm_single_tall_none)(PARAMETERS) { gemm_single<NONE, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_tall_global)(PARAMETERS) { gemm_single<GLOBAL, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_tall_thread)(PARAMETERS) { gemm_single<THREAD, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_tall_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_tall_replication)(PARAMETERS) { gemm_single<REPLICATION, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(gemm_single_tall_duplication)(PARAMETERS) { gemm_single<DUPLICATION, SingleTall, Row<Single>>(at, size, zero, NoFault()); }
