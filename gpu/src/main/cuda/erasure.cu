/* SPDX-License-Identifier: Apache-2.0 */
// Products of any matrix with units: the matrix is data. A thread computes 16 bytes of each unit, or one byte where a unit is not
// aligned or its length is not a multiple of 16.
#include "portable.cuh"

// The addresses of all units, inputs first.
struct Units {
    uint64_t at[256];
};

// Sixteen bytes of a unit as four words.
struct Wide {
    static const int WORDS = 4;
    static DEVICE_FUNCTION void load(uint32_t (&words)[4], uint64_t address, uint64_t column) {
        const uint4 v = reinterpret_cast<const uint4*>(address)[column];
        words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    }
    static DEVICE_FUNCTION void store(const uint32_t (&words)[4], uint64_t address, uint64_t column) {
        reinterpret_cast<uint4*>(address)[column] = make_uint4(words[0], words[1], words[2], words[3]);
    }
};

// One byte of a unit as a word.
struct Narrow {
    static const int WORDS = 1;
    static DEVICE_FUNCTION void load(uint32_t (&words)[1], uint64_t address, uint64_t column) {
        words[0] = reinterpret_cast<const uint8_t*>(address)[column];
    }
    static DEVICE_FUNCTION void store(const uint32_t (&words)[1], uint64_t address, uint64_t column) {
        reinterpret_cast<uint8_t*>(address)[column] = static_cast<uint8_t>(words[0]);
    }
};

// Output i = sum over j of coefficient[i][j] * input j over GF(2^8), byte by byte. A block computes OUTPUTS_PER_PASS
// outputs of its columns, selected by blockIdx.y.
// tables: for each pass, input, output of the pass and bit b: coefficient * x^b, the same in all four bytes of a word.
// Bit b of each byte of a word, spread to a mask, selects what is added.
#define OUTPUTS_PER_PASS 4
template <class Access>
DEVICE_FUNCTION void multiply_bytes(const Units& units, const uint32_t* tables, int inputs, int outputs, uint64_t columns,
                                    uint32_t* table) {
    const int first = blockIdx.y * OUTPUTS_PER_PASS;
    const int size = inputs * OUTPUTS_PER_PASS * 8;
    for (int i = threadIdx.x; i < size; i += blockDim.x) table[i] = tables[static_cast<uint64_t>(blockIdx.y) * size + i];
    __syncthreads();
    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    uint32_t sums[OUTPUTS_PER_PASS][Access::WORDS] = {};
    for (int j = 0; j < inputs; ++j) {
        uint32_t words[Access::WORDS];
        Access::load(words, units.at[j], column);
        const uint32_t* products = table + j * OUTPUTS_PER_PASS * 8;
#pragma unroll
        for (int bit = 0; bit < 8; ++bit) {
            uint32_t masks[Access::WORDS];
#pragma unroll
            for (int e = 0; e < Access::WORDS; ++e) masks[e] = high_bits_to_bytes(words[e] << (7 - bit));
#pragma unroll
            for (int i = 0; i < OUTPUTS_PER_PASS; ++i) {
#pragma unroll
                for (int e = 0; e < Access::WORDS; ++e) sums[i][e] ^= masks[e] & products[i * 8 + bit];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < OUTPUTS_PER_PASS; ++i)
        if (first + i < outputs) Access::store(sums[i], units.at[inputs + first + i], column);
}

KERNEL(erasure_bytes_wide)(BY_VALUE(Units, units), const uint32_t* tables, int inputs, int outputs, uint64_t columns) {
    DYNAMIC_SHARED(uint32_t, table, 16);
    multiply_bytes<Wide>(units, tables, inputs, outputs, columns, table);
}

KERNEL(erasure_bytes_narrow)(BY_VALUE(Units, units), const uint32_t* tables, int inputs, int outputs, uint64_t columns) {
    DYNAMIC_SHARED(uint32_t, table, 16);
    multiply_bytes<Narrow>(units, tables, inputs, outputs, columns, table);
}

// The product of a bitmatrix with strips: output strip i is the xor of the input strips whose bit of row i is set. A unit is
// w strips of stripBytes, one after another. A block computes STRIPS_PER_PASS output strips of its columns.
// masks: rows x (inputs * w) words, 0 or ~0, the rows padded with zeros to whole passes.
#define STRIPS_PER_PASS 16
template <class Access>
DEVICE_FUNCTION void multiply_strips(const Units& units, const uint32_t* masks, int inputs, int rows, int w,
                                     uint64_t stripBytes, uint64_t columns, uint32_t* transposed) {
    const int first = blockIdx.y * STRIPS_PER_PASS;
    const int strips = inputs * w;
    for (int i = threadIdx.x; i < strips * STRIPS_PER_PASS; i += blockDim.x)
        transposed[i] = masks[(first + i % STRIPS_PER_PASS) * strips + i / STRIPS_PER_PASS];
    __syncthreads();
    const uint64_t column = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    uint32_t sums[STRIPS_PER_PASS][Access::WORDS] = {};
    for (int j = 0; j < inputs; ++j) {
        for (int b = 0; b < w; ++b) {
            uint32_t words[Access::WORDS];
            Access::load(words, units.at[j] + b * stripBytes, column);
            const uint32_t* mask = transposed + (j * w + b) * STRIPS_PER_PASS;
#pragma unroll
            for (int i = 0; i < STRIPS_PER_PASS; ++i) {
#pragma unroll
                for (int e = 0; e < Access::WORDS; ++e) sums[i][e] ^= words[e] & mask[i];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < STRIPS_PER_PASS; ++i) {
        const int row = first + i;
        if (row < rows) Access::store(sums[i], units.at[inputs + row / w] + row % w * stripBytes, column);
    }
}

KERNEL(erasure_strips_wide)(BY_VALUE(Units, units), const uint32_t* masks, int inputs, int rows, int w, uint64_t stripBytes,
                            uint64_t columns) {
    DYNAMIC_SHARED(uint32_t, transposed, 16);
    multiply_strips<Wide>(units, masks, inputs, rows, w, stripBytes, columns, transposed);
}

KERNEL(erasure_strips_narrow)(BY_VALUE(Units, units), const uint32_t* masks, int inputs, int rows, int w, uint64_t stripBytes,
                              uint64_t columns) {
    DYNAMIC_SHARED(uint32_t, transposed, 16);
    multiply_strips<Narrow>(units, masks, inputs, rows, w, stripBytes, columns, transposed);
}
