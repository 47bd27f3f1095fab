/* SPDX-License-Identifier: Apache-2.0 */
// Norms of A where no layer has computed A: the sum of squares of each row, in which squares below the smallest normal number count as that
// number. Two threads read a row.
#include "rows.cuh"

#define LEAST_SQUARE 1.18e-38f
template <class E>
DEVICE_FUNCTION void measure(const Addresses& at, const Sizes& size, float* squares) {
    const int row = blockIdx.x * BLOCK + threadIdx.x / 2;
    const Row<E> values(at, size, row);
    float sum = size.k * LEAST_SQUARE;
    for (int k = threadIdx.x % 2 * E::COUNT; k < size.k; k += 2 * E::COUNT) {
        const uint4 some = values.load(k);
#pragma unroll
        for (int i = 0; i < E::COUNT; ++i) sum += E::value(some, i) * E::value(some, i);
    }
    sum += from_lane_across(sum, 1);
    if (threadIdx.x % 2 == 0 && row < size.m) squares[row] = sum;
}
KERNEL(measure_half)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float* squares) { measure<Half>(at, size, squares); }
KERNEL(measure_single)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float* squares) { measure<Single>(at, size, squares); }
