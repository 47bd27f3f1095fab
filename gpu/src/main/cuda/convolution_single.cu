/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float32, a kernel for each scheme.
#include "gemm_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_single_none)(PARAMETERS) { gemm_single<NONE, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_global)(PARAMETERS) { gemm_single<GLOBAL, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_thread)(PARAMETERS) { gemm_single<THREAD, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_two_sided)(PARAMETERS) { gemm_single<TWO_SIDED, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_replication)(PARAMETERS) { gemm_single<REPLICATION, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_duplication)(PARAMETERS) { gemm_single<DUPLICATION, Patch<Single>>(at, size, zero, NoFault()); }
