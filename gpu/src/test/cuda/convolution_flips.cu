/* SPDX-License-Identifier: Apache-2.0 */
// The checked convolutions once more, with a bit of a register flipped while they run.
#include "flips.cuh"

#define PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float zero, BY_VALUE(BitFlip, flip)
KERNEL(flip_convolution_half_global)(PARAMETERS) { product_half<GLOBAL, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_thread_half)(PARAMETERS) { product_half<THREAD_HALF, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_thread)(PARAMETERS) { product_half<THREAD, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_two_sided)(PARAMETERS) { product_half<TWO_SIDED, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_replication)(PARAMETERS) { product_half<REPLICATION, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_half_duplication)(PARAMETERS) { product_half<DUPLICATION, Patch<Half>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_global)(PARAMETERS) { product_single<GLOBAL, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_thread)(PARAMETERS) { product_single<THREAD, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_two_sided)(PARAMETERS) { product_single<TWO_SIDED, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_replication)(PARAMETERS) { product_single<REPLICATION, Patch<Single>>(at, size, zero, flip); }
KERNEL(flip_convolution_single_duplication)(PARAMETERS) { product_single<DUPLICATION, Patch<Single>>(at, size, zero, flip); }
