/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float16 with float32 sums, by Hopper's matrix instruction. It reads stages of A and B where the other kernels put them.
#pragma once
#include "gemm_half.cuh"
#include "warpgroup.cuh"

// What a block of two warpgroups computes, each ROWS times 64 rows of C.
template <int ROWS_, int WIDTH_>
struct WarpgroupTile {
    static const bool SLICED = false;
    static const int BLOCK_THREADS = 256, ROWS = ROWS_, COLUMNS = WIDTH_ / 8;  // COLUMNS of eight
    static const int HEIGHT = 2 * ROWS * 64, WIDTH = WIDTH_;
    static const int STAGES = 8, CHUNKS = (HEIGHT + WIDTH) * STAGE_CHUNKS;
    static const int LAG = 1;  // the products of a step run while the next one starts

    static DEVICE_FUNCTION uint4* room() {
        DYNAMIC_SHARED(uint4, shared, SWIZZLE_BYTES);
        return shared;
    }
};
typedef WarpgroupTile<1, 256> WarpgroupWide;  // 128 x 256
typedef WarpgroupTile<2, 128> WarpgroupTall;  // 256 x 128

template <int SCHEME, int ROWS, int WIDTH>
struct Patches<SCHEME, WarpgroupTile<ROWS, WIDTH>> {
    static_assert(SCHEME == NONE || SCHEME == GLOBAL, "sums that are on their way cannot be checked by threads");
    typedef WarpgroupTile<ROWS, WIDTH> T;
    float acc[T::ROWS][T::COLUMNS][4], checks[1];
    const int row;  // the first of the warpgroup, in the block

    DEVICE_FUNCTION explicit Patches(float) : acc{}, checks{}, row(threadIdx.x / 128 * T::ROWS * 64) {}

    DEVICE_FUNCTION void start_step() { show_copies(); }

    // Adds the products of 16 columns of A, the first or second ones of a stage.
    DEVICE_FUNCTION void multiply(const uint4* stage, int half) {
        if (half == 0) show_sums();
        const uint4* const a = stage + row * STAGE_CHUNKS + 2 * half;
        const uint4* const b = stage + T::HEIGHT * STAGE_CHUNKS + 2 * half;
#pragma unroll
        for (int i = 0; i < T::ROWS; ++i) start_product(acc[i], a + i * 64 * STAGE_CHUNKS, b);
    }

    DEVICE_FUNCTION void commit_step() { commit_products(); }
    DEVICE_FUNCTION void end_step() { await_products<T::LAG>(acc); }

    DEVICE_FUNCTION void end() { await_products<0>(acc); }

    DEVICE_FUNCTION void compare_all(const Addresses&, const Sizes&, int, int, const float*) const {}

    DEVICE_FUNCTION float put(float* block, int block_row, int block_column) const {
        const int r = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, c = threadIdx.x % 4 * 2;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < T::ROWS; ++i)
#pragma unroll
            for (int j = 0; j < T::COLUMNS; ++j) {
                if (row + i * 64 != block_row || j / 8 * BLOCK != block_column) continue;
#pragma unroll
                for (int e = 0; e < 4; e += 2) {
                    store_shared(block + (r + e / 2 * 8) * PITCH + j % 8 * 8 + c, acc[i][j][e], acc[i][j][e + 1]);
                    sum += acc[i][j][e];
                    sum += acc[i][j][e + 1];
                }
            }
        return sum;
    }
};
