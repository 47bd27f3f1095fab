/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float16 with float32 sums. Four warps compute 32 x 32 of the block each, as 2 x 4 tiles of the matrix
// instruction, 16 columns of A at a time; while these are multiplied, the next ones are loaded.
//
// A thread holds in acc the values of C in rows g and g + 8 of each of the 2 tiles, and in columns 2q and 2q + 1 of each of the 4.
// Its checks have the same place in a tile, summed over the 4 tiles of columns: register e of check i is the sum of register e of
// acc[i][0..3], computed in another way.
#pragma once
#include "protected.cuh"

#define DEPTH_HALF 16
#define PITCH_HALF 24  // distance of a tile's rows in shared memory: no two threads of a warp use the same bank

// The sum of the columns of B that a thread checks, as float16: rounded, as in the thesis, ...
DEVICE_FUNCTION uint32_t sum_halves(const uint32_t (&b)[4][2], int e) {
    return add_halves(add_halves(b[0][e], b[1][e]), add_halves(b[2][e], b[3][e]));
}
// ... or in two terms, the second of which is the rounding error of the first.
DEVICE_FUNCTION void split(float low, float high, uint32_t& first, uint32_t& second) {
    const uint32_t low_half = float_to_half(low), high_half = float_to_half(high);
    first = low_half | high_half << 16;
    second = float_to_half(low - half_to_float(low_half)) | float_to_half(high - half_to_float(high_half)) << 16;
}
template <int N>
DEVICE_FUNCTION void sum_in_two_terms(const uint32_t (&words)[N], uint32_t& first, uint32_t& second) {
    float low = 0, high = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) low += half_to_float(words[i] & 0xffffu), high += half_to_float(words[i] >> 16);
    split(low, high, first, second);
}

template <int SCHEME>
struct HalfChecks {
    // A check for each tile of rows, one for all of them, or a second acc.
    static const int ROWS = SCHEME == THREAD || SCHEME == THREAD_HALF || SCHEME == DUPLICATION ? 2 : 1;
    static const int COLUMNS = SCHEME == DUPLICATION ? 4 : 1;
    float sums[ROWS][COLUMNS][4];

    // zero is 0, unknown to the compiler: otherwise it would merge the two identical computations.
    DEVICE_FUNCTION explicit HalfChecks(float zero) {
#pragma unroll
        for (int i = 0; i < ROWS * COLUMNS * 4; ++i) sums[i / 4 / COLUMNS][i / 4 % COLUMNS][i % 4] = SCHEME == DUPLICATION ? zero : 0;
    }

    DEVICE_FUNCTION void add(const uint32_t (&a)[2][4], const uint32_t (&b)[4][2]) {
        if constexpr (SCHEME == THREAD_HALF) {
            const uint32_t s[1][2] = {{sum_halves(b, 0), sum_halves(b, 1)}};
            multiply_tiles(sums, a, s);
        } else if constexpr (SCHEME == THREAD || SCHEME == TWO_SIDED) {
            uint32_t first[1][2], second[1][2];
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const uint32_t words[4] = {b[0][e], b[1][e], b[2][e], b[3][e]};
                sum_in_two_terms(words, first[0][e], second[0][e]);
            }
            if constexpr (SCHEME == THREAD) {
                multiply_tiles(sums, a, first);
                multiply_tiles(sums, a, second);
            } else {
                uint32_t a_first[1][4], a_second[1][4];
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const uint32_t words[2] = {a[0][e], a[1][e]};
                    sum_in_two_terms(words, a_first[0][e], a_second[0][e]);
                }
                multiply_tiles(sums, a_first, first);
                multiply_tiles(sums, a_first, second);
                multiply_tiles(sums, a_second, first);
            }
        } else if constexpr (SCHEME == REPLICATION) {
            multiply_tiles_into_one(sums[0][0], a, b);
        } else if constexpr (SCHEME == DUPLICATION) {
            multiply_tiles(sums, a, b);
        }
    }

    DEVICE_FUNCTION void compare_all(const Addresses& at, const float (&acc)[2][4][4], const float (&norms)[BLOCK]) const {
        if constexpr (SCHEME >= THREAD_HALF) {
            const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
            const int row = warp / 2 * 32 + lane / 4, column = warp % 2 * 32 + lane % 4 * 2;
            Check check;
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = row + e / 2 * 8, c = column + e % 2;
                const float bound = load_bound(at, warp % 2 * 8 + lane % 4 * 2 + e % 2);
                float both = 0;
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const float sum = (acc[i][0][e] + acc[i][1][e]) + (acc[i][2][e] + acc[i][3][e]);
                    if constexpr (SCHEME == DUPLICATION) {
                        bool same = true;
#pragma unroll
                        for (int j = 0; j < 4; ++j) same &= float_bits(acc[i][j][e]) == float_bits(sums[i][j][e]);
                        if (!same) check.compare(r + 16 * i, c, bits_float(0x7fc00000u), 0);
                    } else if constexpr (ROWS == 2) {
                        check.compare(r + 16 * i, c, sum - sums[i][0][e], norms[r + 16 * i] * bound);
                    }
                    both += sum;
                }
                if constexpr (ROWS == 1) {
                    const float norm = norms[r] + norms[r + 16];
                    // The sum of two rows of A as float16 can be infinite.
                    const bool large = SCHEME == TWO_SIDED && norm > 65504.0f;
                    check.compare(r, c, both - sums[0][0][e], large ? bits_float(0x7f800000u) : norm * bound);
                }
            }
            check.report(at);
        }
    }
};

template <int SCHEME, class Rows, class Fault>
DEVICE_FUNCTION void gemm_half(const Addresses& at, const Sizes& size, float zero, const Fault& fault) {
    SHARED_ARRAY(uint32_t, shared, BLOCK * PITCH);  // two tiles each of A and B; at the end C
    SHARED_ARRAY(float, norms, BLOCK);
    SHARED_ARRAY(float, halves, THREADS);
    uint16_t* const a_tiles = reinterpret_cast<uint16_t*>(&shared);
    uint16_t* const b_tiles = a_tiles + 2 * BLOCK * PITCH_HALF;
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, g = lane / 4, q = lane % 4;
    const int row = warp / 2 * 32, column = warp % 2 * 32;
    const int steps = (size.k + DEPTH_HALF - 1) / DEPTH_HALF;
    // Each thread moves 16 bytes of A and of B in a step.
    const Rows rows(at, size, blockIdx.x * BLOCK + thread / 2);
    const int half = thread % 2 * 8, place = thread / 2 * PITCH_HALF + half;
    const uint4* weights = reinterpret_cast<const uint4*>(at.weights) + static_cast<uint64_t>(blockIdx.y) * steps * THREADS + thread;
    if (SCHEME >= THREAD_HALF && SCHEME != DUPLICATION) load_norms(at, size, norms);

    float acc[2][4][4] = {};
    HalfChecks<SCHEME> checks(zero);
    uint4 next_a = rows.load(half), next_b = load_wide(weights);
    for (int step = 0; step < steps; ++step) {
        uint16_t* a_tile = a_tiles + step % 2 * BLOCK * PITCH_HALF;
        uint16_t* b_tile = b_tiles + step % 2 * BLOCK * PITCH_HALF;
        *reinterpret_cast<uint4*>(a_tile + place) = next_a;
        *reinterpret_cast<uint4*>(b_tile + place) = next_b;
        __syncthreads();  // one is enough: the writer of the other tile has seen that all threads are done with it
        if (step + 1 < steps) {
            next_a = rows.load((step + 1) * DEPTH_HALF + half);
            next_b = load_wide(weights + static_cast<uint64_t>(step + 1) * THREADS);
        }
        uint32_t a[2][4], b[4][2];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                a[i][e] = *reinterpret_cast<const uint32_t*>(a_tile + (row + 16 * i + g + e % 2 * 8) * PITCH_HALF + 2 * q + e / 2 * 8);
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e)
                b[j][e] = *reinterpret_cast<const uint32_t*>(b_tile + (column + 8 * j + g) * PITCH_HALF + 2 * q + e * 8);
        multiply_tiles(acc, a, b);
        checks.add(a, b);
        fault.spoil(step, acc, checks.sums);
    }
    checks.compare_all(at, acc, norms);

    float total = 0;
    float* const block = reinterpret_cast<float*>(&shared);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                total += acc[i][j][e];
                block[(row + 16 * i + g + e / 2 * 8) * PITCH + column + 8 * j + 2 * q + e % 2] = acc[i][j][e];
            }
    if (SCHEME == GLOBAL) store_block_sum(at, total, norms);
    store_block(at, size, block, halves);
}
