/* SPDX-License-Identifier: Apache-2.0 */
// Norms and sums of A where no layer has computed A.
#include "protected.cuh"

// Computes the sum of squares of each row of A; squares below the smallest normal number count as that number. With sums, also
// the sum of each column of A in each row of blocks.
#define LEAST_SQUARE 1.18e-38f
template <class Rows>
DEVICE_FUNCTION void measure(const Addresses& at, const Sizes& size, float* squares, float* sums) {
    typedef typename Rows::Element Element;
    const int COLUMNS = 2 * Element::COUNT;
    SHARED_ARRAY(float, tile, BLOCK * 17);
    SHARED_ARRAY(float, slices, THREADS);
    const int thread = threadIdx.x, half = thread % 2 * Element::COUNT;
    const int row = blockIdx.x * BLOCK + thread / 2;
    const Rows rows(at, size, row);
    float sum = size.k * LEAST_SQUARE;
    for (int k = 0; k < size.k; k += COLUMNS) {
        const uint4 values = rows.load(k + half);
#pragma unroll
        for (int i = 0; i < Element::COUNT; ++i) {
            const float value = Element::value(values, i);
            sum += value * value;
            if (sums) tile[thread / 2 * 17 + half + i] = value;
        }
        if (!sums) continue;
        __syncthreads();
        const int column = thread % COLUMNS, slice = thread / COLUMNS, rows_of_slice = BLOCK * COLUMNS / THREADS;
        float part = 0;
        for (int r = 0; r < rows_of_slice; ++r) part += tile[(slice * rows_of_slice + r) * 17 + column];
        slices[thread] = part;
        __syncthreads();
        if (slice == 0 && k + column < size.k) {
            for (int other = 1; other < THREADS / COLUMNS; ++other) part += slices[other * COLUMNS + column];
            sums[static_cast<uint64_t>(blockIdx.x) * size.k + k + column] = part;
        }
    }
    sum += from_lane_across(sum, 1);
    if (thread % 2 == 0 && row < size.m) squares[row] = sum;
}

#define MEASURE_PARAMETERS BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), float* squares, float* sums
KERNEL(measure_gemm_half)(MEASURE_PARAMETERS) { measure<Row<Half>>(at, size, squares, sums); }
KERNEL(measure_gemm_single)(MEASURE_PARAMETERS) { measure<Row<Single>>(at, size, squares, sums); }
KERNEL(measure_convolution_half)(MEASURE_PARAMETERS) { measure<Patch<Half>>(at, size, squares, sums); }
KERNEL(measure_convolution_single)(MEASURE_PARAMETERS) { measure<Patch<Single>>(at, size, squares, sums); }
