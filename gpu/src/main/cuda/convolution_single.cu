/* SPDX-License-Identifier: Apache-2.0 */
// Convolutions of float32, a kernel for each scheme.
#include "product_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(convolution_single_none)(PARAMETERS) { product_single<NONE, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_global)(PARAMETERS) { product_single<GLOBAL, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_thread)(PARAMETERS) { product_single<THREAD, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_two_sided)(PARAMETERS) { product_single<TWO_SIDED, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_replication)(PARAMETERS) { product_single<REPLICATION, Patch<Single>>(at, size, zero, NoFault()); }
KERNEL(convolution_single_duplication)(PARAMETERS) { product_single<DUPLICATION, Patch<Single>>(at, size, zero, NoFault()); }
