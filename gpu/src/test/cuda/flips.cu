/* SPDX-License-Identifier: Apache-2.0 */
// The checked GEMMs with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_gemm_half_square_global)(PARAMETERS) { gemm_half<GLOBAL, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_square_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_square_thread)(PARAMETERS) { gemm_half<THREAD, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_square_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_square_replication)(PARAMETERS) { gemm_half<REPLICATION, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_square_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Square, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_narrow_thread)(PARAMETERS) { gemm_half<THREAD, Narrow, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_tall_global)(PARAMETERS) { gemm_half<GLOBAL, Tall, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_tall_thread)(PARAMETERS) { gemm_half<THREAD, Tall, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_tall_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Tall, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_half_wide_global)(PARAMETERS) { gemm_half<GLOBAL, Wide, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_square_global)(PARAMETERS) { gemm_single<GLOBAL, SingleSquare, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_square_thread)(PARAMETERS) { gemm_single<THREAD, SingleSquare, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_square_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleSquare, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_square_replication)(PARAMETERS) { gemm_single<REPLICATION, SingleSquare, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_square_duplication)(PARAMETERS) { gemm_single<DUPLICATION, SingleSquare, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_narrow_thread)(PARAMETERS) { gemm_single<THREAD, SingleNarrow, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_tall_global)(PARAMETERS) { gemm_single<GLOBAL, SingleTall, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_tall_thread)(PARAMETERS) { gemm_single<THREAD, SingleTall, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_tall_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleTall, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_gemm_single_wide_global)(PARAMETERS) { gemm_single<GLOBAL, SingleWide, Row<Single>>(at, size, zero, flip); }
