/* SPDX-License-Identifier: Apache-2.0 */
// A bit of a register that is flipped while a checked GEMM or convolution runs.
#pragma once
#include "gemm_half.cuh"
#include "gemm_single.cuh"

struct BitFlip {
    int block_row, block_column, thread, step;
    int in_checks;  // whether of a check; otherwise of a value of C
    int index;      // among the thread's registers of that kind, modulo their number
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
