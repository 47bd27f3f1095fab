/* SPDX-License-Identifier: Apache-2.0 */
// The checked convolutions with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_convolution_half_global)(PARAMETERS) { gemm_half<GLOBAL, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_thread_half)(PARAMETERS) { gemm_half<THREAD_HALF, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_thread)(PARAMETERS) { gemm_half<THREAD, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_two_sided)(PARAMETERS) { gemm_half<TWO_SIDED, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_replication)(PARAMETERS) { gemm_half<REPLICATION, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_duplication)(PARAMETERS) { gemm_half<DUPLICATION, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_global)(PARAMETERS) { gemm_single<GLOBAL, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_thread)(PARAMETERS) { gemm_single<THREAD, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_replication)(PARAMETERS) { gemm_single<REPLICATION, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_duplication)(PARAMETERS) { gemm_single<DUPLICATION, Patch<Single>>(at, size, zero, flip); }
