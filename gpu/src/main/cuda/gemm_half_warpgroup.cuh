/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float16 with float32 sums in blocks of 128 x 128, by Hopper's matrix instruction. It reads stages of A and B where the
// other kernels put them.
#pragma once
#include "gemm_half.cuh"
#include "warpgroup.cuh"

struct Warpgroup {
    static const int HEIGHT = 128, WIDTH = 128;
    static const int STAGES = 6, CHUNKS = (HEIGHT + WIDTH) * STAGE_CHUNKS;
    static const int LAG = 1;  // the products of a step run while the next step starts

    static DEVICE_FUNCTION uint4* room() {
        DYNAMIC_SHARED(uint4, shared, SWIZZLE_BYTES);
        return shared;
    }
};

template <int SCHEME>
struct Patches<SCHEME, Warpgroup> {
    static_assert(SCHEME == NONE || SCHEME == GLOBAL, "sums that are on their way cannot be checked by threads");
    static const int ROWS = 64;  // of a product
    float acc[Warpgroup::HEIGHT / ROWS][16][4], checks[1];

    DEVICE_FUNCTION explicit Patches(float) : acc{}, checks{} {}

    DEVICE_FUNCTION void start_step() { show_copies(); }

    // Adds the products of 16 columns of A, the first or second ones of a stage.
    DEVICE_FUNCTION void multiply(const uint4* stage, int half) {
        if (half == 0) show_sums();
        const uint4* const b = stage + Warpgroup::HEIGHT * STAGE_CHUNKS + 2 * half;
#pragma unroll
        for (int i = 0; i < Warpgroup::HEIGHT / ROWS; ++i) start_product(acc[i], stage + i * ROWS * STAGE_CHUNKS + 2 * half, b);
    }

    DEVICE_FUNCTION void end_step() {
        commit_products();
        await_products<Warpgroup::LAG>(acc);
    }

    DEVICE_FUNCTION void end() { await_products<0>(acc); }

    DEVICE_FUNCTION void compare_all(const Addresses&, const Sizes&, int, int, const float*) const {}

    DEVICE_FUNCTION float put(float* block, int block_row, int block_column) const {
        const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < Warpgroup::HEIGHT / ROWS; ++i)
#pragma unroll
            for (int j = 0; j < 16; ++j) {
                if (i * ROWS != block_row || j / 8 * BLOCK != block_column) continue;
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const float value = acc[i][j][e];
                    block[(row + e / 2 * 8) * PITCH + j % 8 * 8 + column + e % 2] = value;
                    sum += value;
                }
            }
        return sum;
    }
};
