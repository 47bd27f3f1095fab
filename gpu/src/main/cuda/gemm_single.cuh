/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float32, without matrix instructions. A thread computes 8 x 4 values of the block, 8 columns of A at a time;
// while these are multiplied, the next ones are loaded. It checks its own 4 columns.
#pragma once
#include "protected.cuh"

#define DEPTH_SINGLE 8
#define PITCH_SINGLE 68  // distance of A's columns in shared memory: 16-byte reads, and few bank conflicts

template <int SCHEME>
struct SingleChecks {
    // A check for each row, for each column, for all of them, or a second acc.
    static const int ROWS = SCHEME == THREAD || SCHEME == DUPLICATION ? 8 : 1;
    static const int COLUMNS = SCHEME == REPLICATION || SCHEME == DUPLICATION ? 4 : 1;
    float sums[ROWS][COLUMNS];

    // zero is 0, unknown to the compiler: otherwise it would merge the two identical computations.
    DEVICE_FUNCTION explicit SingleChecks(float zero) {
#pragma unroll
        for (int i = 0; i < ROWS * COLUMNS; ++i) sums[i / COLUMNS][i % COLUMNS] = SCHEME == DUPLICATION ? zero : 0;
    }

    DEVICE_FUNCTION void add(const float (&a)[8], const float (&b)[4]) {
        if constexpr (SCHEME == THREAD) {
            const float s = (b[0] + b[1]) + (b[2] + b[3]);
#pragma unroll
            for (int i = 0; i < 8; ++i) sums[i][0] += a[i] * s;
        } else if constexpr (SCHEME == TWO_SIDED) {
            sums[0][0] += (((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))) * ((b[0] + b[1]) + (b[2] + b[3]));
        } else if constexpr (SCHEME == REPLICATION || SCHEME == DUPLICATION) {
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i % ROWS][j] += a[i] * b[j];
        }
    }

    DEVICE_FUNCTION void compare_all(const Addresses& at, const float (&acc)[8][4], const float (&norms)[BLOCK]) const {
        if constexpr (SCHEME >= THREAD_HALF) {
            const int row = threadIdx.x / 16 * 8, group = threadIdx.x % 16;
            const float bound = load_bound(at, blockIdx.y * GROUPS + group);
            float total = 0, norm = 0;
            Check check;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float sum = (acc[i][0] + acc[i][1]) + (acc[i][2] + acc[i][3]);
                if constexpr (SCHEME == DUPLICATION) {
                    bool same = true;
#pragma unroll
                    for (int j = 0; j < 4; ++j) same &= float_bits(acc[i][j]) == float_bits(sums[i][j]);
                    if (!same) check.compare(row + i, 4 * group, bits_float(0x7fc00000u), 0);
                } else if constexpr (SCHEME == THREAD) {
                    check.compare(row + i, 4 * group, sum - sums[i][0], norms[row + i] * bound);
                } else {
                    total += sum;
                    norm += norms[row + i];
                }
            }
            if constexpr (SCHEME == TWO_SIDED) check.compare(row, 4 * group, total - sums[0][0], norm * bound);
            if constexpr (SCHEME == REPLICATION)
                check.compare(row, 4 * group, total - ((sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3])), norm * bound);
            check.report(at, blockIdx.x * BLOCK, blockIdx.y * BLOCK);
        }
    }
};

DEVICE_FUNCTION void load_four(float* values, const float* from) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
}

template <int SCHEME, class Rows, class Fault>
DEVICE_FUNCTION void gemm_single(const Addresses& at, const Sizes& size, float zero, const Fault& fault) {
    SHARED_ARRAY(float, shared, BLOCK * PITCH);  // two tiles each of A and B; at the end C
    SHARED_ARRAY(float, norms, BLOCK);
    SHARED_ARRAY(float, sums, STORE_SUMS);
    float* const a_tiles = reinterpret_cast<float*>(&shared);
    float* const b_tiles = a_tiles + 2 * DEPTH_SINGLE * PITCH_SINGLE;
    const int thread = threadIdx.x, row = thread / 16 * 8, column = thread % 16 * 4;
    const int steps = (size.k + DEPTH_SINGLE - 1) / DEPTH_SINGLE;
    // Each thread moves 16 bytes of A and of B in a step.
    const Rows rows(at, size, blockIdx.x * BLOCK + thread / 2);
    const int half = thread % 2 * 4;
    const uint4* weights = reinterpret_cast<const uint4*>(at.weights) + static_cast<uint64_t>(blockIdx.y) * steps * THREADS + thread;
    if (SCHEME >= THREAD_HALF && SCHEME != DUPLICATION && thread < BLOCK) norms[thread] = load_norm(at, size, blockIdx.x * BLOCK + thread);

    float acc[8][4] = {};
    SingleChecks<SCHEME> checks(zero);
    uint4 next_a = rows.load(half), next_b = load_wide(weights);
    for (int step = 0; step < steps; ++step) {
        float* a_tile = a_tiles + step % 2 * DEPTH_SINGLE * PITCH_SINGLE;
        float* b_tile = b_tiles + step % 2 * DEPTH_SINGLE * BLOCK;
#pragma unroll
        for (int i = 0; i < 4; ++i) a_tile[(half + i) * PITCH_SINGLE + thread / 2] = Single::value(next_a, i);
        reinterpret_cast<uint4*>(b_tile)[thread] = next_b;
        __syncthreads();  // one is enough: the writer of the other tile has seen that all threads are done with it
        if (step + 1 < steps) {
            next_a = rows.load((step + 1) * DEPTH_SINGLE + half);
            next_b = load_wide(weights + static_cast<uint64_t>(step + 1) * THREADS);
        }
#pragma unroll
        for (int k = 0; k < DEPTH_SINGLE; ++k) {
            float a[8], b[4];
            load_four(a, a_tile + k * PITCH_SINGLE + row);
            load_four(a + 4, a_tile + k * PITCH_SINGLE + row + 4);
            load_four(b, b_tile + k * BLOCK + column);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
            checks.add(a, b);
        }
        fault.spoil(step, acc, checks.sums);
    }
    checks.compare_all(at, acc, norms);

    float total = 0;
    float* const block = reinterpret_cast<float*>(&shared);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            total += acc[i][j];
            block[(row + i) * PITCH + column + j] = acc[i][j];
        }
    if (SCHEME == GLOBAL) {
        total = sum_across(total, 1, 16);
        if (thread % 32 == 0) norms[thread / 32] = total;
        __syncthreads();
        if (thread == 0) store_block_sum(at, size, blockIdx.x, blockIdx.y, (norms[0] + norms[1]) + (norms[2] + norms[3]));
    }
    store_block<BLOCK>(at, size, blockIdx.x, blockIdx.y, block, sums);
}
