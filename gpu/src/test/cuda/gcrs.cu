/* SPDX-License-Identifier: Apache-2.0 */
// What the erasure kernels are compared with: the kernel of G-CRS (Liu, Wang, Chu, Leung, "G-CRS: GPU accelerated Cauchy
// Reed-Solomon coding", TPDS 2018), rebuilt from its description. The bitmatrix is in constant memory, one word per bit
// column with a bit for each of at most 32 rows; the threads of a block share a tile of codewords through shared memory, and
// each of them makes one 8-byte word of every parity unit. A unit is a sequence of groups of w words: word b of a group
// belongs to strip b.
#include "portable.cuh"

#define GCRS_THREADS 128
#define GCRS_COLUMNS 512

struct BitColumns {
    uint32_t rows[GCRS_COLUMNS];
};

// data, parity: unit after unit, of words words each; parities * w <= 32, k * w <= 512.
template <int PARITIES>
DEVICE_FUNCTION void gcrs(const uint64_t* data, uint64_t* parity, const BitColumns& bits, int k, int w, uint64_t words,
                          uint64_t* tile) {
    const int per_block = GCRS_THREADS / w * w;
    const int lane = threadIdx.x;
    const int group = lane / w * w, bit = lane % w;
    const uint64_t at = static_cast<uint64_t>(blockIdx.x) * per_block + lane;
    const bool works = lane < per_block && at < words;
    uint64_t sums[PARITIES] = {};
    for (int j = 0; j < k; ++j) {
        __syncthreads();
        if (works) tile[lane] = data[j * words + at];
        __syncthreads();
        if (works) {
            for (int b = 0; b < w; ++b) {
                const uint64_t word = tile[group + b];
                const uint32_t rows = bits.rows[j * w + b];
#pragma unroll
                for (int p = 0; p < PARITIES; ++p) sums[p] ^= word & (0ull - (rows >> (p * w + bit) & 1));
            }
        }
    }
    if (works) {
#pragma unroll
        for (int p = 0; p < PARITIES; ++p) parity[p * words + at] = sums[p];
    }
}

KERNEL(gcrs_1)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<1>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_2)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<2>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_3)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<3>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_4)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<4>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_5)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<5>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_6)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<6>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_7)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<7>(data, parity, bits, k, w, words, tile);
}

KERNEL(gcrs_8)(const uint64_t* data, uint64_t* parity, BY_VALUE(BitColumns, bits), int k, int w, uint64_t words) {
    SHARED_ARRAY(uint64_t, tile, GCRS_THREADS);
    gcrs<8>(data, parity, bits, k, w, words, tile);
}
