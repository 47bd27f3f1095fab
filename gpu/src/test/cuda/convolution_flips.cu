/* SPDX-License-Identifier: Apache-2.0 */
// The checked convolutions with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_convolution_half_square_global)(PARAMETERS) { gemm_half<GLOBAL, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_square_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_square_thread)(PARAMETERS) { gemm_half<THREAD, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_square_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_square_replication)(PARAMETERS) { gemm_half<REPLICATION, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_square_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Square, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_narrow_thread)(PARAMETERS) { gemm_half<THREAD, Narrow, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_tall_global)(PARAMETERS) { gemm_half<GLOBAL, Tall, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_tall_thread)(PARAMETERS) { gemm_half<THREAD, Tall, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_tall_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Tall, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_wide_global)(PARAMETERS) { gemm_half<GLOBAL, Wide, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_square_global)(PARAMETERS) { gemm_single<GLOBAL, SingleSquare, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_square_thread)(PARAMETERS) { gemm_single<THREAD, SingleSquare, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_square_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleSquare, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_square_replication)(PARAMETERS) { gemm_single<REPLICATION, SingleSquare, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_square_duplication)(PARAMETERS) { gemm_single<DUPLICATION, SingleSquare, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_narrow_thread)(PARAMETERS) { gemm_single<THREAD, SingleNarrow, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_tall_global)(PARAMETERS) { gemm_single<GLOBAL, SingleTall, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_tall_thread)(PARAMETERS) { gemm_single<THREAD, SingleTall, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_tall_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleTall, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_wide_global)(PARAMETERS) { gemm_single<GLOBAL, SingleWide, Patch<Single>>(at, size, zero, flip); }
