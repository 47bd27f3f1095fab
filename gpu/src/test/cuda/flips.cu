/* SPDX-License-Identifier: Apache-2.0 */
// The checked products once more, with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_product_half_global)(PARAMETERS) { product_half<GLOBAL, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_half_thread_half)(PARAMETERS) { product_half<THREAD_HALF, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_half_thread)(PARAMETERS) { product_half<THREAD, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_half_two_sided)(PARAMETERS) { product_half<TWO_SIDED, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_half_replication)(PARAMETERS) { product_half<REPLICATION, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_half_duplication)(PARAMETERS) { product_half<DUPLICATION, Row<Half>>(at, size, zero, flip); }
KERNEL(flip_product_single_global)(PARAMETERS) { product_single<GLOBAL, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_product_single_thread)(PARAMETERS) { product_single<THREAD, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_product_single_two_sided)(PARAMETERS) { product_single<TWO_SIDED, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_product_single_replication)(PARAMETERS) { product_single<REPLICATION, Row<Single>>(at, size, zero, flip); }
KERNEL(flip_product_single_duplication)(PARAMETERS) { product_single<DUPLICATION, Row<Single>>(at, size, zero, flip); }
