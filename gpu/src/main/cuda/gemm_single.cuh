/* SPDX-License-Identifier: Apache-2.0 */
// C = A * B of float32, without matrix instructions. A thread computes one or more patches of 8 x 4 values, 8 columns of A at a time;
// while these are multiplied, the next ones are loaded. It checks the 4 columns of each patch.
#pragma once
#include "results.cuh"

#define DEPTH_SINGLE 8

// What a block of threads computes: the places of its threads, and the patches of each of them, side by side. Tile.java knows their
// sizes.
template <int THREADS_ACROSS, int COLUMNS, bool SLICED_ = false>
struct SingleTile {
    static const bool SLICED = SLICED_;
    static const int BLOCK_THREADS = THREADS, ACROSS = THREADS_ACROSS, PATCHES = COLUMNS;
    static const int HEIGHT = THREADS / ACROSS * 8, WIDTH = ACROSS * 4 * COLUMNS;
    static const int PITCH_A = HEIGHT + 4;  // distance of A's columns in shared memory: 16-byte reads, and few bank conflicts
    static const int TILE = DEPTH_SINGLE * (PITCH_A + WIDTH);  // of A and B
};
typedef SingleTile<16, 1, true> SingleSquare;  // 64 x 64
typedef SingleTile<8, 1> SingleNarrow;         // 128 x 32
typedef SingleTile<8, 2> SingleTall;           // 128 x 64
typedef SingleTile<8, 4> SingleWide;           // 128 x 128

template <int SCHEME>
struct SingleChecks {
    // A check for each row, for each column, for all of them, or a second acc.
    static const int ROWS = SCHEME == THREAD || SCHEME == DUPLICATION ? 8 : 1;
    static const int COLUMNS = SCHEME == REPLICATION || SCHEME == DUPLICATION ? 4 : 1;
    float sums[ROWS][COLUMNS];

    // zero is 0, unknown to the compiler: otherwise it would merge the two identical computations.
    DEVICE_FUNCTION void start(float zero) {
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

    // Compares the sums of a patch, whose first row and column are given, with norms of its rows.
    DEVICE_FUNCTION void compare_all(const Addresses& at, const float (&acc)[8][4], const float* norms, int row, int column) const {
        if constexpr (SCHEME >= THREAD_HALF) {
            const float bound = load_bound(at, column / 4);
            float total = 0, norm = 0;
            Check check;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float sum = (acc[i][0] + acc[i][1]) + (acc[i][2] + acc[i][3]);
                if constexpr (SCHEME == DUPLICATION) {
                    bool same = true;
#pragma unroll
                    for (int j = 0; j < 4; ++j) same &= float_bits(acc[i][j]) == float_bits(sums[i][j]);
                    if (!same) check.compare(i, 0, bits_float(0x7fc00000u), 0);
                } else if constexpr (SCHEME == THREAD) {
                    check.compare(i, 0, sum - sums[i][0], norms[i] * bound);
                } else {
                    total += sum;
                    norm += norms[i];
                }
            }
            if constexpr (SCHEME == TWO_SIDED) check.compare(0, 0, total - sums[0][0], norm * bound);
            if constexpr (SCHEME == REPLICATION)
                check.compare(0, 0, total - ((sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3])), norm * bound);
            check.report(at, row, column);
        }
    }
};

// The products of a thread, and their checks.
template <int SCHEME, class T>
struct SinglePatches {
    float acc[T::PATCHES][8][4];
    SingleChecks<SCHEME> checks[T::PATCHES];
    const int row, column;  // of the first patch, in the block; the others are DISTANCE columns apart
    static const int DISTANCE = T::ACROSS * 4;

    DEVICE_FUNCTION explicit SinglePatches(float zero) : acc{}, row(threadIdx.x / T::ACROSS * 8), column(threadIdx.x % T::ACROSS * 4) {
#pragma unroll
        for (int j = 0; j < T::PATCHES; ++j) checks[j].start(zero);
    }

    DEVICE_FUNCTION float& value(int e) { return acc[e / 32][e % 32 / 4][e % 4]; }

    DEVICE_FUNCTION void multiply(const float* a_tile, const float* b_tile) {
#pragma unroll
        for (int k = 0; k < DEPTH_SINGLE; ++k) {
            float a[8], b[4];
            load_shared(a, a_tile + k * T::PITCH_A + row);
            load_shared(a + 4, a_tile + k * T::PITCH_A + row + 4);
#pragma unroll
            for (int j = 0; j < T::PATCHES; ++j) {
                load_shared(b, b_tile + k * T::WIDTH + column + j * DISTANCE);
#pragma unroll
                for (int e = 0; e < 32; ++e) acc[j][e / 4][e % 4] += a[e / 4] * b[e % 4];
                checks[j].add(a, b);
            }
        }
    }

    // Compares all checks; patches beyond the columns of C have no bounds.
    DEVICE_FUNCTION void compare_all(const Addresses& at, const Sizes& size, int first_row, int first_column, const float* norms) const {
#pragma unroll
        for (int j = 0; j < T::PATCHES; ++j) {
            const int c = first_column + column + j * DISTANCE;
            if (c / BLOCK * BLOCK < size.n) checks[j].compare_all(at, acc[j], norms + row, first_row + row, c);
        }
    }

    // Puts the patches that lie in a block of C into it; returns their sum. The block's first row and column are those in this block of
    // threads.
    DEVICE_FUNCTION float put(float* block, int block_row, int block_column) const {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < T::PATCHES; ++j) {
            const int r = row - block_row, c = column + j * DISTANCE - block_column;
            if (r < 0 || r >= BLOCK || c < 0 || c >= BLOCK) continue;
#pragma unroll
            for (int e = 0; e < 32; ++e) {
                block[(r + e / 4) * PITCH + c + e % 4] = acc[j][e / 4][e % 4];
                sum += acc[j][e / 4][e % 4];
            }
        }
        return sum;
    }
};

// What a thread brings from memory to a tile: 16 bytes of A and of B for each 64 rows and columns.
template <class Rows, class T>
struct SingleLoads {
    static const int OF_A = T::HEIGHT / BLOCK, OF_B = (T::WIDTH + BLOCK - 1) / BLOCK;
    typename Rows::Column column;
    Rows rows[OF_A];
    uint4 a[OF_A], b[OF_B];

    DEVICE_FUNCTION SingleLoads(const Addresses& at, const Sizes& size, int first_row, int first_step)
        : column(size, first_step * DEPTH_SINGLE + threadIdx.x % 2 * 4) {
#pragma unroll
        for (int i = 0; i < OF_A; ++i) rows[i] = Rows(at, size, first_row + i * BLOCK + threadIdx.x / 2);
    }

    DEVICE_FUNCTION void load(const Addresses& at, const Sizes& size, int first_column, int step, int steps) {
        Rows::load(rows, size, column, a);
        column.advance(size, DEPTH_SINGLE);
#pragma unroll
        for (int i = 0; i < OF_B; ++i) {
            const int block = first_column / BLOCK + i;
            const uint64_t from = (static_cast<uint64_t>(block) * steps + step) * THREADS + threadIdx.x;
            b[i] = block * BLOCK < size.n ? load_wide(reinterpret_cast<const uint4*>(at.weights) + from) : make_uint4(0, 0, 0, 0);
        }
    }

    DEVICE_FUNCTION void store(float* a_tile, float* b_tile) const {
        const int half = threadIdx.x % 2 * 4, k = threadIdx.x / 16, column = threadIdx.x % 16 * 4;
#pragma unroll
        for (int i = 0; i < OF_A; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) a_tile[(half + e) * T::PITCH_A + i * BLOCK + threadIdx.x / 2] = Single::value(a[i], e);
#pragma unroll
        for (int i = 0; i < OF_B; ++i)
            if (i * BLOCK + column < T::WIDTH) *reinterpret_cast<uint4*>(b_tile + k * T::WIDTH + i * BLOCK + column) = b[i];
    }
};

// What the sums of rows of C must be, in the first tiles of each row of tiles: rows of A times the row sums of B. A thread has a row.
template <class T>
struct SingleExpected {
    const bool counts;
    const float* const row_sums;
    float weights[DEPTH_SINGLE], sum;

    DEVICE_FUNCTION explicit SingleExpected(const Addresses& at)
        : counts(blockIdx.y == 0), row_sums(reinterpret_cast<const float*>(at.row_sums)), weights{}, sum(0) {}

    // Brings the row sums for a step.
    DEVICE_FUNCTION void load(int step) {
        if (!counts) return;
#pragma unroll
        for (int k = 0; k < DEPTH_SINGLE; ++k) weights[k] = Single::value(load_wide(row_sums + step * DEPTH_SINGLE + k / 4 * 4), k % 4);
    }

    DEVICE_FUNCTION void add(const float* a_tile) {
        if (!counts || threadIdx.x >= T::HEIGHT) return;
#pragma unroll
        for (int k = 0; k < DEPTH_SINGLE; ++k) sum += a_tile[k * T::PITCH_A + threadIdx.x] * weights[k];
    }

    // This thread's part for the 64 rows from one of the block's on.
    DEVICE_FUNCTION float of(int row) const { return static_cast<int>(threadIdx.x) / BLOCK * BLOCK == row ? sum : 0; }
};

template <int SCHEME, class T, class Rows, class Fault>
DEVICE_FUNCTION void gemm_single(const Addresses& at, const Sizes& size, float zero, const Fault& fault) {
    SHARED_ARRAY(float, shared, (2 * T::TILE > STORE_ROOM(THREADS) ? 2 * T::TILE : STORE_ROOM(THREADS)));  // two tiles each of A and B; at the end C
    const int thread = threadIdx.x, first_row = blockIdx.x * T::HEIGHT, first_column = blockIdx.y * T::WIDTH;
    const bool norms_count = SCHEME >= THREAD_HALF && SCHEME != DUPLICATION;
    const float norm = norms_count && thread < T::HEIGHT ? load_norm<Rows>(at, size, first_row + thread) : 0;
    typename ExpectedOf<SCHEME, SingleExpected<T>>::Type expected(at);
    const int steps = (size.k + DEPTH_SINGLE - 1) / DEPTH_SINGLE;
    const Slice slice = Slice::of<T>(steps);
    SingleLoads<Rows, T> loads(at, size, first_row, slice.first);
    SinglePatches<SCHEME, T> patches(zero);
    loads.load(at, size, first_column, slice.first, steps);
    for (int step = slice.first; step < slice.end; ++step) {
        float* const a_tile = shared + step % 2 * T::TILE;
        float* const b_tile = a_tile + DEPTH_SINGLE * T::PITCH_A;
        loads.store(a_tile, b_tile);
        __syncthreads();  // one is enough: the writer of the other tile has seen that all threads are done with it
        if (step + 1 < slice.end) loads.load(at, size, first_column, step + 1, steps);
        expected.load(step);
        patches.multiply(a_tile, b_tile);
        expected.add(a_tile);
        fault.spoil(step, patches.acc, patches.checks);
    }

    __syncthreads();
    if (norms_count) {
        if (thread < T::HEIGHT) shared[thread] = norm;
        __syncthreads();
    }
    patches.compare_all(at, size, first_row, first_column, shared);
    store_all<SCHEME, T, Rows>(at, size, first_row, first_column, patches, expected, shared);
}
