/* SPDX-License-Identifier: Apache-2.0 */
// The checked products once more, with a bit of a register flipped while they run.
#include "product_half.cuh"
#include "product_single.cuh"

struct BitFlip {
    int block_row, block_column, thread, step;
    int in_checks;  // of a check, else of a value of C
    int index;      // of the thread's registers of that kind, modulo their number
    int bit;

    template <int N>
    DEVICE_FUNCTION void flip(float (&values)[N]) const {
#pragma unroll
        for (int i = 0; i < N; ++i)
            if (i == index % N) values[i] = bits_float(float_bits(values[i]) ^ 1u << bit);
    }
    template <class Values, class Checks>
    DEVICE_FUNCTION void spoil(int now, Values& values, Checks& checks) const {
        if (now != step || int(threadIdx.x) != thread) return;
        if (int(blockIdx.x) != block_row || int(blockIdx.y) != block_column) return;
        if (in_checks)
            flip(reinterpret_cast<float(&)[sizeof(Checks) / 4]>(checks));
        else
            flip(reinterpret_cast<float(&)[sizeof(Values) / 4]>(values));
    }
};

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
