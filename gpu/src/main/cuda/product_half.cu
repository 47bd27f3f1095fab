/* SPDX-License-Identifier: Apache-2.0 */
// Products of float16 with float32 sums, a kernel for each scheme.
#include "product_half.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(product_half_none)(PARAMETERS) { product_half<NONE, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_global)(PARAMETERS) { product_half<GLOBAL, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_thread_half)(PARAMETERS) { product_half<THREAD_HALF, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_thread)(PARAMETERS) { product_half<THREAD, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_two_sided)(PARAMETERS) { product_half<TWO_SIDED, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_replication)(PARAMETERS) { product_half<REPLICATION, Row<Half>>(at, size, zero, NoFault()); }
KERNEL(product_half_duplication)(PARAMETERS) { product_half<DUPLICATION, Row<Half>>(at, size, zero, NoFault()); }
