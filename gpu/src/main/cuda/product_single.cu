/* SPDX-License-Identifier: Apache-2.0 */
// Products of float32, a kernel for each scheme.
#include "product_single.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero
KERNEL(product_single_none)(PARAMETERS) { product_single<NONE, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(product_single_global)(PARAMETERS) { product_single<GLOBAL, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(product_single_thread)(PARAMETERS) { product_single<THREAD, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(product_single_two_sided)(PARAMETERS) { product_single<TWO_SIDED, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(product_single_replication)(PARAMETERS) { product_single<REPLICATION, Row<Single>>(at, size, zero, NoFault()); }
KERNEL(product_single_duplication)(PARAMETERS) { product_single<DUPLICATION, Row<Single>>(at, size, zero, NoFault()); }
