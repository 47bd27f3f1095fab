/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float32 in blocks of 64 x 64, a kernel for each scheme.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_single_square_none)(PARAMETERS) { gemm_single<NONE, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_square_global)(PARAMETERS) { gemm_single<GLOBAL, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_square_thread)(PARAMETERS) { gemm_single<THREAD, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_square_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_square_replication)(PARAMETERS) { gemm_single<REPLICATION, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_square_duplication)(PARAMETERS) { gemm_single<DUPLICATION, SingleSquare, Patch<Single>>(at, size, zero, NoFault()); }
