/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float32 in blocks of 128 x 32, a kernel for each scheme that plans choose.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_single_narrow_none)(PARAMETERS) { gemm_single<NONE, SingleNarrow, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_narrow_global)(PARAMETERS) { gemm_single<GLOBAL, SingleNarrow, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_narrow_thread)(PARAMETERS) { gemm_single<THREAD, SingleNarrow, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_narrow_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, SingleNarrow, Patch<Single>>(at, size, zero, NoFault()); }
