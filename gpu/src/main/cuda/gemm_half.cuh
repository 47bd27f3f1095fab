/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float16 with float32 sums. Each of four warps computes one or more patches of 32 x 32 of C, as 2 x 4 tiles of the matrix
// instruction. 32 columns of A are a stage; while it is multiplied, the next ones are on their way to shared memory.
//
// A thread holds in a patch the values of C in rows g and g + 8 of each of the 2 tiles, and in columns 2q and 2q + 1 of each of the 4.
// Its checks have the same place in a tile, summed over the 4 tiles of columns: register e of check i is the sum of register e of
// acc[i][0..3], computed in another way.
#pragma once
#include "results.cuh"

#define PATCH 32
#define STAGE_CHUNKS 4  // of sixteen bytes, in a row of a stage

// What a block of threads computes: the places of its warps, and the patches of each of them. Tile.java knows their sizes.
template <int WARPS_ACROSS, int ROWS, int COLUMNS, int STAGES_, bool SLICED_ = false>
struct Tile {
    static const bool SLICED = SLICED_;
    static const int BLOCK_THREADS = THREADS, ACROSS = WARPS_ACROSS;
    static const int PATCH_ROWS = ROWS, PATCH_COLUMNS = COLUMNS;
    static const int HEIGHT = THREADS / 32 / ACROSS * ROWS * PATCH, WIDTH = ACROSS * COLUMNS * PATCH;
    static const int STAGES = STAGES_, CHUNKS = (HEIGHT + WIDTH) * STAGE_CHUNKS;  // CHUNKS of a stage
    static const int LAG = 0;  // a step's products are done when the next one starts
    static const bool BOTH_HALVES = ROWS * COLUMNS == 1;  // of a stage are in registers: there is room

    static DEVICE_FUNCTION uint4* room() {
        SHARED_ARRAY(uint4, shared, STAGES * CHUNKS);
        return shared;
    }
};
typedef Tile<2, 1, 1, 6, true> Square;  // 64 x 64: blocks are few, so each has much on its way
typedef Tile<1, 1, 1, 4> Narrow;        // 128 x 32
typedef Tile<2, 2, 1, 4> Tall;          // 128 x 64
typedef Tile<2, 2, 2, 3> Wide;          // 128 x 128

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
    DEVICE_FUNCTION void start(float zero) {
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

    // Compares the sums of a patch, whose first row and column are given, with norms of its rows.
    DEVICE_FUNCTION void compare_all(const Addresses& at, const float (&acc)[2][4][4], const float* norms, int row, int column) const {
        if constexpr (SCHEME >= THREAD_HALF) {
            const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
            Check check;
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = g + e / 2 * 8, c = 2 * q + e % 2;
                const float bound = load_bound(at, column / PATCH * 8 + c);
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
            check.report(at, row, column);
        }
    }
};

// Where a chunk of a row of a stage is. The chunks of a row have an order that depends on the row, so that those of eight rows which a
// matrix instruction takes lie in different banks.
DEVICE_FUNCTION int place(int row, int chunk) { return row * STAGE_CHUNKS + (chunk ^ (row >> 1 & 3)); }

// Brings the stages of a slice of A and B to shared memory, in their order. B is packed as stages are: for each block of columns and each stage,
// one piece of memory.
template <class Rows, class T>
struct Stages {
    static const int PASS = T::BLOCK_THREADS / STAGE_CHUNKS;  // rows that the threads copy at a time
    static const int OF_BLOCK = BLOCK * STAGE_CHUNKS;         // chunks of a block of columns
    static const int DEPTH = STAGE_CHUNKS * Half::COUNT;
    const Sizes& size;
    uint4* const shared;
    const uint4* weights;    // this thread's first chunk of the next stage
    const int distance;      // of blocks of columns
    const int blocks;        // that C has from the first column on
    const bool wide;
    typename Rows::Column column;
    Rows rows[T::HEIGHT / PASS];
    int left, to;            // stages that are not started yet, and where the next one goes
    int a_place, b_place;    // of this thread's first chunks, in a stage

    DEVICE_FUNCTION Stages(const Addresses& at, const Sizes& size, const Slice& slice, uint4* shared, int first_row, int first_column)
        : size(size), shared(shared), distance((size.k + DEPTH - 1) / DEPTH * OF_BLOCK), blocks((size.n - first_column + BLOCK - 1) / BLOCK),
          wide(Rows::all_wide(at, size)), column(size, slice.first * DEPTH + threadIdx.x % STAGE_CHUNKS * Half::COUNT), left(slice.end - slice.first), to(0),
          a_place(place(threadIdx.x / STAGE_CHUNKS, threadIdx.x % STAGE_CHUNKS)), b_place(T::HEIGHT * STAGE_CHUNKS + threadIdx.x) {
        weights = reinterpret_cast<const uint4*>(at.weights) + static_cast<uint64_t>(first_column / BLOCK) * distance + slice.first * OF_BLOCK + threadIdx.x;
#pragma unroll
        for (int i = 0; i < T::HEIGHT / PASS; ++i) rows[i] = Rows(at, size, first_row + i * PASS + threadIdx.x / STAGE_CHUNKS);
        keep(a_place), keep(b_place);
    }

    // Starts the next stage; beyond the last one, an empty group of copies.
    DEVICE_FUNCTION void start_next() {
        if (left > 0) {
            uint4* const stage = shared + to * T::CHUNKS;
            uint4* const a = stage + a_place;
            if (wide && (left > 1 || size.k % Half::COUNT == 0)) {
#pragma unroll
                for (int i = 0; i < T::HEIGHT / PASS; ++i)
                    Rows::copy(a + i * PASS * STAGE_CHUNKS, rows[i].find(column), column.is_inside(size) && rows[i].has(column));
            } else {
                uint4 values[T::HEIGHT / PASS];
                Rows::load(rows, size, column, values);
#pragma unroll
                for (int i = 0; i < T::HEIGHT / PASS; ++i) a[i * PASS * STAGE_CHUNKS] = values[i];
            }
            uint4* const b = stage + b_place;
#pragma unroll
            for (int i = 0; i < T::WIDTH * STAGE_CHUNKS / T::BLOCK_THREADS; ++i) {
                const int block = i * T::BLOCK_THREADS / OF_BLOCK, first = i * T::BLOCK_THREADS % OF_BLOCK;
                copy_wide(b + i * T::BLOCK_THREADS, weights + block * distance + first, block < blocks);
            }
            column.advance(size, DEPTH);
            weights += OF_BLOCK;
        }
        commit_copies();
        --left, to = to + 1 == T::STAGES ? 0 : to + 1;
    }
};

// The products of a warp, and their checks.
template <int SCHEME, class T>
struct Patches {
    float acc[T::PATCH_ROWS][T::PATCH_COLUMNS][2][4][4];
    HalfChecks<SCHEME> checks[T::PATCH_ROWS][T::PATCH_COLUMNS];
    const int row, column;  // the first of the warp, in the block
    int a_place, b_place;   // of what the thread loads of the first 8 columns of A, in a stage
    uint32_t a[T::BOTH_HALVES + 1][T::PATCH_ROWS][2][4], b[T::BOTH_HALVES + 1][T::PATCH_COLUMNS][4][2];

    DEVICE_FUNCTION explicit Patches(float zero)
        : acc{}, row(threadIdx.x / 32 / T::ACROSS * T::PATCH_ROWS * PATCH), column(threadIdx.x / 32 % T::ACROSS * T::PATCH_COLUMNS * PATCH) {
#pragma unroll
        for (int i = 0; i < T::PATCH_ROWS * T::PATCH_COLUMNS; ++i) checks[i / T::PATCH_COLUMNS][i % T::PATCH_COLUMNS].start(zero);
        const int lane = threadIdx.x % 32;
        a_place = place(row + lane % 16, lane / 16);
        b_place = T::HEIGHT * STAGE_CHUNKS + place(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
        keep(a_place), keep(b_place);
    }

    DEVICE_FUNCTION void start_step() {}
    DEVICE_FUNCTION void commit_step() {}
    DEVICE_FUNCTION void end_step() {}
    DEVICE_FUNCTION void end() {}

    DEVICE_FUNCTION float& value(int e) { return acc[e / 32 / T::PATCH_COLUMNS][e / 32 % T::PATCH_COLUMNS][e % 32 / 16][e % 16 / 4][e % 4]; }

    // Adds the products of 16 columns of A, the first or second ones of a stage.
    DEVICE_FUNCTION void multiply(const uint4* stage, int half) {
        const int of = T::BOTH_HALVES ? half : 0;
        if (of == 0) load(stage, half, 0);
        if (T::BOTH_HALVES && half == 0) load(stage, 1, T::BOTH_HALVES);  // while the first ones are multiplied
#pragma unroll
        for (int i = 0; i < T::PATCH_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < T::PATCH_COLUMNS; ++j) {
                multiply_tiles(acc[i][j], a[of][i], b[of][j]);
                checks[i][j].add(a[of][i], b[of][j]);
            }
    }

    // Brings half a stage to registers.
    DEVICE_FUNCTION void load(const uint4* stage, int half, int of) {
        const int other = 2 * half;  // bit of a place: sixteen rows or columns further, the order of the chunks is the same
#pragma unroll
        for (int j = 0; j < T::PATCH_COLUMNS * 2; ++j) {
            uint32_t two[4];
            load_tiles(two, stage + (b_place ^ other) + 16 * j * STAGE_CHUNKS);
#pragma unroll
            for (int e = 0; e < 4; ++e) b[of][j / 2][j % 2 * 2 + e / 2][e % 2] = two[e];
        }
#pragma unroll
        for (int i = 0; i < T::PATCH_ROWS * 2; ++i) load_tiles(a[of][i / 2][i % 2], stage + (a_place ^ other) + 16 * i * STAGE_CHUNKS);
    }

    // Compares all checks; patches beyond the columns of C have no bounds.
    DEVICE_FUNCTION void compare_all(const Addresses& at, const Sizes& size, int first_row, int first_column, const float* norms) const {
#pragma unroll
        for (int i = 0; i < T::PATCH_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < T::PATCH_COLUMNS; ++j) {
                const int r = row + i * PATCH, c = column + j * PATCH;
                if ((first_column + c) / BLOCK * BLOCK < size.n)
                    checks[i][j].compare_all(at, acc[i][j], norms + r, first_row + r, first_column + c);
            }
    }

    // Puts the patches that lie in a block of C into it; returns their sum. The block's first row and column are those in this block of
    // threads.
    DEVICE_FUNCTION float put(float* block, int block_row, int block_column) const {
        const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < T::PATCH_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < T::PATCH_COLUMNS; ++j) {
                const int r = row + i * PATCH - block_row, c = column + j * PATCH - block_column;
                if (r < 0 || r >= BLOCK || c < 0 || c >= BLOCK) continue;
#pragma unroll
                for (int e = 0; e < 32; e += 2) {
                    const float* const two = acc[i][j][e / 16][e / 4 % 4] + e % 4;
                    store_shared(block + (r + 16 * (e / 16) + g + e / 2 % 2 * 8) * PITCH + c + 8 * (e / 4 % 4) + 2 * q, two[0], two[1]);
                    sum += two[0];
                    sum += two[1];
                }
            }
        return sum;
    }
};

// What the sums of rows of C must be, in the first tiles of each row of tiles: rows of A times the row sums of B. A thread has the products of
// one chunk of each row that it has copied.
template <class T>
struct HalfExpected {
    static const int PASS = T::BLOCK_THREADS / STAGE_CHUNKS;
    const bool counts;
    const float* const row_sums;
    float weights[Half::COUNT], sums[T::HEIGHT / PASS];

    DEVICE_FUNCTION explicit HalfExpected(const Addresses& at)
        : counts(blockIdx.y == 0), row_sums(reinterpret_cast<const float*>(at.row_sums)), weights{}, sums{} {}

    // Brings the row sums for a step.
    DEVICE_FUNCTION void load(int step) {
        if (!counts) return;
        const float* const from = row_sums + (step * STAGE_CHUNKS + threadIdx.x % STAGE_CHUNKS) * Half::COUNT;
#pragma unroll
        for (int i = 0; i < Half::COUNT; ++i) weights[i] = Single::value(load_wide(from + i / 4 * 4), i % 4);
    }

    DEVICE_FUNCTION void add(const uint4* stage) {
        if (!counts) return;
#pragma unroll
        for (int i = 0; i < T::HEIGHT / PASS; ++i) {
            const uint4 values = stage[place(i * PASS + threadIdx.x / STAGE_CHUNKS, threadIdx.x % STAGE_CHUNKS)];
#pragma unroll
            for (int e = 0; e < Half::COUNT; ++e) sums[i] += Half::value(values, e) * weights[e];
        }
    }

    // This thread's part for the 64 rows from one of the block's on.
    DEVICE_FUNCTION float of(int row) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < T::HEIGHT / PASS; ++i) sum += i * PASS / BLOCK * BLOCK == row ? sums[i] : 0;
        return sum;
    }
};

template <int SCHEME, class T, class Rows, class Fault>
DEVICE_FUNCTION void gemm_half(const Addresses& at, const Sizes& size, float zero, const Fault& fault) {
    uint4* const shared = T::room();  // stages of A and B; at the end a block of C
    const int thread = threadIdx.x, first_row = blockIdx.x * T::HEIGHT, first_column = blockIdx.y * T::WIDTH;
    const bool norms_count = SCHEME >= THREAD_HALF && SCHEME != DUPLICATION;
    const Slice slice = Slice::of<T>((size.k + 31) / 32);
    Stages<Rows, T> stages(at, size, slice, shared, first_row, first_column);
    Patches<SCHEME, T> patches(zero);
    const int AHEAD = T::STAGES - 1 - T::LAG;
#pragma unroll 1
    for (int i = 0; i < AHEAD; ++i) stages.start_next();
    const float norm = norms_count && thread < T::HEIGHT ? load_norm<Rows>(at, size, first_row + thread) : 0;
    typename ExpectedOf<SCHEME, HalfExpected<T>>::Type expected(at);
    for (int step = slice.first, stage = 0; step < slice.end; ++step, stage = stage + 1 == T::STAGES ? 0 : stage + 1) {
        await_copies<AHEAD - 1>();
        patches.start_step();
        __syncthreads();  // one is enough: the next stage's place is that of the last one with which all threads are done
        if (T::LAG == 0) stages.start_next();
        expected.load(step);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            patches.multiply(shared + stage * T::CHUNKS, half);
            fault.spoil(2 * step + half, patches.acc, patches.checks);
        }
        patches.commit_step();
        if (T::LAG > 0) stages.start_next();  // while products run
        expected.add(shared + stage * T::CHUNKS);
        patches.end_step();
    }
    patches.end();

    float* const room = reinterpret_cast<float*>(shared);
    __syncthreads();
    if (norms_count) {
        if (thread < T::HEIGHT) room[thread] = norm;
        __syncthreads();
    }
    patches.compare_all(at, size, first_row, first_column, room);
    store_all<SCHEME, T, Rows>(at, size, first_row, first_column, patches, expected, room);
}
