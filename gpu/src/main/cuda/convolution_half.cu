/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float16 with float32 sums, a kernel for each scheme.
#include "product_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_half_none)(PARAMETERS) { product_half<NONE, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_global)(PARAMETERS) { product_half<GLOBAL, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_thread_half)(PARAMETERS) { product_half<THREAD_HALF, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_thread)(PARAMETERS) { product_half<THREAD, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_two_sided)(PARAMETERS) { product_half<TWO_SIDED, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_replication)(PARAMETERS) { product_half<REPLICATION, Patch<Half>>(at, size, zero, NoFault()); }
KERNEL(convolution_half_duplication)(PARAMETERS) { product_half<DUPLICATION, Patch<Half>>(at, size, zero, NoFault()); }
