/* SPDX-License-Identifier: Apache-2.0 */
// The checked GEMMs with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_gemm_half_global)(PARAMETERS) { gemm_half<GLOBAL, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_thread)(PARAMETERS) { gemm_half<THREAD, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_replication)(PARAMETERS) { gemm_half<REPLICATION, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_global)(PARAMETERS) { gemm_single<GLOBAL, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_thread)(PARAMETERS) { gemm_single<THREAD, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_replication)(PARAMETERS) { gemm_single<REPLICATION, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_duplication)(PARAMETERS) { gemm_single<DUPLICATION, Row<Single>>(at, size, zero, flip); }
