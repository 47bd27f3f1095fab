/* SPDX-License-Identifier: Apache-2.0 */
// The emulator's side of warpgroup.cuh. Products happen when they are waited for: whoever overwrites a matrix, or reads the sums, too
// early gets something wrong.
#pragma once
#include "tensor.h"

inline void show_copies() { emulator::lane->copies_shown = true; }
inline void show_sums() { emulator::lane->sums_shown = true; }

template <int J>
void start_product(float (&d)[J][4], const uint4* a, const uint4* b) {
    emulator::Lane& lane = *emulator::lane;
    if (!lane.copies_shown || !lane.sums_shown) {
        fprintf(stderr, "emulator: a product does not see %s\n", lane.copies_shown ? "its sums" : "what was copied");
        abort();
    }
    lane.products.push_back({a, b, d, J, lane.product_groups});
}
inline void commit_products() { ++emulator::lane->product_groups; }

// Reads sixteen values of a row, whose chunks lie where their addresses say.
inline void read_swizzled(const void* matrix, int row, float (&values)[16]) {
    for (int k = 0; k < 16; ++k) {
        uintptr_t address = reinterpret_cast<uintptr_t>(matrix) + row * 64 + k * 2;
        address ^= (address >> 7 & 3) << 4;
        values[k] = half_to_float(*reinterpret_cast<const uint16_t*>(address));
    }
}

inline void multiply(const emulator::Product& product) {
    const int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    float rows[2][16], columns[2][16];
    for (int e = 0; e < 2; ++e) read_swizzled(product.a, row + 8 * e, rows[e]);
    for (int j = 0; j < product.columns; ++j) {
        for (int e = 0; e < 2; ++e) read_swizzled(product.b, 8 * j + column + e, columns[e]);
        multiply_fragment(rows, columns, product.sums[j]);
    }
}

template <int GROUPS_LEFT, int I, int J>
void await_products(float (&)[I][J][4]) {
    emulator::Lane& lane = *emulator::lane;
    size_t done = 0;
    for (; done < lane.products.size() && lane.products[done].group + GROUPS_LEFT < lane.product_groups; ++done)
        multiply(lane.products[done]);
    lane.products.erase(lane.products.begin(), lane.products.begin() + done);
    lane.sums_shown = false;
}
