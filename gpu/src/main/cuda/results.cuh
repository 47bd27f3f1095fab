/* SPDX-License-Identifier: Apache-2.0 */
// What becomes of the sums of products: slices of the depth are added, the checks of GLOBAL are done, and the values of C are finished and
// stored.
#pragma once
#include "rows.cuh"

// Cuts values to a range, and applies a function; NaN stays NaN.
template <int COUNT>
DEVICE_FUNCTION void activate(float (&values)[COUNT], int function, float low, float high) {
#pragma unroll
    for (int e = 0; e < COUNT; ++e) values[e] = cut(values[e], low, high);
    if (function == CLIP) return;
#pragma unroll 1
    for (int e = 0; e < COUNT; ++e) {  // in turns, because the functions have many instructions
        const float value = values[0], result = function == SIGMOID ? 1 / (1 + expf(-value)) : tanhf(value);
#pragma unroll
        for (int i = 0; i + 1 < COUNT; ++i) values[i] = values[i + 1];
        values[COUNT - 1] = result;
    }
}

// As many values of C as are stored together: sixteen bytes of float16.
#define NEIGHBOURS 8

// What the columns of a thread's values have in common.
struct Columns {
    const int first, count;  // count of them are in C
    const bool wide;         // whether values are read and stored sixteen bytes at a time
    float bias[NEIGHBOURS];

    DEVICE_FUNCTION Columns(const Addresses& at, const Sizes& size, int first)
        : first(first), count(size.n - first), wide(count >= NEIGHBOURS && (at.c % 16 | at.addend % 16 | size.c_stride % NEIGHBOURS) == 0) {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e) bias[e] = at.bias && e < count ? reinterpret_cast<const float*>(at.bias)[first + e] : 0;
    }
};

DEVICE_FUNCTION void load_halves(float (&values)[NEIGHBOURS], const void* from) {
    const uint4 chunk = load_wide(from);
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] = Half::value(chunk, e);
}
DEVICE_FUNCTION void load_floats(float (&values)[NEIGHBOURS], const float* from) {
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] = Single::value(load_wide(from + e / 4 * 4), e % 4);
}

// Adds the addend to neighbours in a row of C.
DEVICE_FUNCTION void add_addend(const Addresses& at, const Sizes& size, const Columns& columns, uint64_t i, float (&values)[NEIGHBOURS]) {
    float addend[NEIGHBOURS];
    const bool half = size.flags & HALF_ADDEND;
    const uint16_t* const as_halves = reinterpret_cast<const uint16_t*>(at.addend) + i;
    const float* const as_floats = reinterpret_cast<const float*>(at.addend) + i;
    if (columns.wide && half) {
        load_halves(addend, as_halves);
    } else if (columns.wide) {
        load_floats(addend, as_floats);
    } else {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e) addend[e] = e >= columns.count ? 0 : half ? half_to_float(as_halves[e]) : as_floats[e];
    }
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] += addend[e];
}

// Adds the bias and the addend to neighbours in a row of C, applies the activation, and stores them. Returns the sum of the squares of what
// is stored, if the next layer needs it.
DEVICE_FUNCTION float store(const Addresses& at, const Sizes& size, const Columns& columns, int row, float (&values)[NEIGHBOURS]) {
    if (row >= size.m) return 0;
    const bool floats = size.flags & FLOAT_OUTPUT;
    const uint64_t i = static_cast<uint64_t>(row) * size.c_stride + columns.first;
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] += columns.bias[e];
    if (at.addend) add_addend(at, size, columns, i, values);
    activate(values, size.function, size.low, size.high);
    uint32_t words[NEIGHBOURS / 2];
#pragma unroll
    for (int e = 0; e < NEIGHBOURS / 2; ++e) words[e] = pack_halves(values[2 * e], values[2 * e + 1]);
    if (columns.wide && !floats) {
        *reinterpret_cast<uint4*>(at.c + 2 * i) = make_uint4(words[0], words[1], words[2], words[3]);
    } else if (columns.wide) {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; e += 4)
            *reinterpret_cast<uint4*>(at.c + 4 * (i + e)) =
                make_uint4(float_bits(values[e]), float_bits(values[e + 1]), float_bits(values[e + 2]), float_bits(values[e + 3]));
    } else {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e) {
            if (e >= columns.count) continue;
            if (floats)
                reinterpret_cast<float*>(at.c)[i + e] = values[e];
            else
                reinterpret_cast<uint16_t*>(at.c)[i + e] = static_cast<uint16_t>(words[e / 2] >> 16 * (e % 2));
        }
    }
    float squares = 0;
    if (size.flags & MEASURE_NEXT)
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e) {
            const float stored = floats ? values[e] : half_to_float(words[e / 2] >> 16 * (e % 2) & 0xffffu);
            squares += e < columns.count ? stored * stored : 0;
        }
    return squares;
}

// Stores a block of C, of which COLUMNS are there, from shared memory, with rows PITCH apart, and what the next layer's checks need:
// the sum of squares of each row, in which squares below the smallest normal number count as that number. COUNT threads do so.
#define PITCH (BLOCK + 8)
#define LEAST_SQUARES 7.6e-37f
template <int COLUMNS, int COUNT>
DEVICE_FUNCTION void store_block(const Addresses& at, const Sizes& size, int block_row, int block_column, const float* block) {
    __syncthreads();
    const int LANES = COLUMNS / NEIGHBOURS;
    const int lane = threadIdx.x % LANES;
    const Columns columns(at, size, block_column * BLOCK + NEIGHBOURS * lane);
#pragma unroll 1
    for (int r = threadIdx.x / LANES; r < BLOCK; r += COUNT / LANES) {
        const int row = block_row * BLOCK + r;
        float values[NEIGHBOURS];
        load_shared(values, block + r * PITCH + NEIGHBOURS * lane);
        load_shared(values + 4, block + r * PITCH + NEIGHBOURS * lane + 4);
        float squares = store(at, size, columns, row, values);
        if (!(size.flags & MEASURE_NEXT)) continue;
        squares = sum_across(squares, 1, LANES / 2);
        if (lane == 0 && row < size.m)
            reinterpret_cast<float*>(at.next_squares)[static_cast<uint64_t>(block_column) * size.m + row] = squares + LEAST_SQUARES;
    }
}

// Sums pairs, then pairs of sums, and so on.
template <int COUNT>
DEVICE_FUNCTION float sum_pairs(const float* values) {
    if constexpr (COUNT == 1)
        return values[0];
    else
        return sum_pairs<COUNT / 2>(values) + sum_pairs<COUNT / 2>(values + COUNT / 2);
}

// Returns the sum over all threads of a block to each of them.
template <int COUNT>
DEVICE_FUNCTION float sum_of_block(float value, float* warps) {
    value = sum_across(value, 1, 16);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    return sum_pairs<COUNT / 32>(warps);
}

// Counts a block of threads among so many, and tells its threads whether it is the last one, which sees what the others have stored.
DEVICE_FUNCTION bool last_to_arrive(uint64_t counters, uint32_t counter, uint32_t count, float* warps) {
    uint32_t* const is_last = reinterpret_cast<uint32_t*>(warps);
    __syncthreads();
    if (count == 1) return true;
    if (threadIdx.x == 0) {
        uint32_t* const arrivals = reinterpret_cast<uint32_t*>(counters) + counter;
        __threadfence();  // whoever sees the arrival sees what was stored before
        *is_last = atomicAdd(arrivals, 1u) + 1 == count;
        if (*is_last) *arrivals = 0;
        __threadfence();
    }
    __syncthreads();
    return *is_last;
}

// What blocks of threads have to do of a product's depth (split-K): the steps from first to end. Of few tiles each is computed by several of
// them, one for each slice of the depth, in z of the grid.
struct Slice {
    int first, end;
    template <class T>
    static DEVICE_FUNCTION Slice of(int steps) {
        if constexpr (T::SLICED)  // divisions take long
            if (gridDim.z > 1) return {static_cast<int>(steps * blockIdx.z / gridDim.z), static_cast<int>(steps * (blockIdx.z + 1) / gridDim.z)};
        return {0, steps};
    }
};

// Adds the sums of all slices of a tile, if this one is the last to arrive; otherwise only stores its own. They are added in their order, not
// in that of their arrival, so that C always has the same bits.
template <class T, class Patches>
DEVICE_FUNCTION bool add_slices(const Addresses& at, Patches& patches, float* warps) {
    const int VALUES = T::HEIGHT * T::WIDTH / T::BLOCK_THREADS;  // of a thread
    const uint32_t tile = blockIdx.y * gridDim.x + blockIdx.x;
    float* const partials = reinterpret_cast<float*>(at.partials) + static_cast<uint64_t>(tile) * gridDim.z * (T::HEIGHT * T::WIDTH) + threadIdx.x;
#pragma unroll
    for (int e = 0; e < VALUES; ++e) partials[blockIdx.z * (T::HEIGHT * T::WIDTH) + e * T::BLOCK_THREADS] = patches.value(e);
    if (!last_to_arrive(at.finished, tile, gridDim.z, warps)) return false;
#pragma unroll
    for (int e = 0; e < VALUES; ++e) patches.value(e) = load_from_others(partials + e * T::BLOCK_THREADS);
#pragma unroll 1
    for (uint32_t z = 1; z < gridDim.z; ++z)
#pragma unroll
        for (int e = 0; e < VALUES; ++e) patches.value(e) += load_from_others(partials + z * (T::HEIGHT * T::WIDTH) + e * T::BLOCK_THREADS);
    return true;
}

// Sums of GLOBAL for a row of blocks of C.
DEVICE_FUNCTION float* sums_of(const Addresses& at, int block_row, int blocks) {
    return reinterpret_cast<float*>(at.sums) + static_cast<uint64_t>(block_row) * (blocks + gridDim.z);
}

// Compares the sum of a row of blocks of C with what it must be, if this tile is the last one to arrive, of as many as the grid has in y. The
// first thread has stored the tile's sums.
template <class T, class Rows>
DEVICE_FUNCTION void check_global(const Addresses& at, const Sizes& size, int block_row, float* warps) {
    if (!last_to_arrive(at.arrivals, block_row, gridDim.y, warps)) return;
    const int blocks = (size.n + BLOCK - 1) / BLOCK;
    const float* const sums = sums_of(at, block_row, blocks);
    float sum = 0;
    for (int block = threadIdx.x; block < blocks; block += T::BLOCK_THREADS) sum += load_from_others(sums + block);
    sum = sum_of_block<T::BLOCK_THREADS>(sum, warps);
    const float norm = sum_of_block<T::BLOCK_THREADS>(threadIdx.x < BLOCK ? load_norm<Rows>(at, size, block_row * BLOCK + threadIdx.x) : 0, warps);
    if (threadIdx.x == 0) {
        float expected = load_from_others(sums + blocks);
        for (uint32_t z = 1; z < gridDim.z; ++z) expected += load_from_others(sums + blocks + z);
        Check check;
        check.compare(0, 0, sum - expected, norm * load_bound(at, blocks * GROUPS));
        check.report(at, block_row * BLOCK, 0);
    }
}

// Stores what the sums of rows of blocks must be, of which each thread has a part.
template <class T, class Expected>
DEVICE_FUNCTION void store_expected(const Addresses& at, const Sizes& size, int first_row, const Expected& expected, float* warps) {
    const int blocks = (size.n + BLOCK - 1) / BLOCK;
#pragma unroll 1
    for (int row = 0; row < T::HEIGHT && first_row + row < size.m; row += BLOCK) {
        const float sum = sum_of_block<T::BLOCK_THREADS>(expected.of(row), warps);
        if (threadIdx.x == 0) sums_of(at, (first_row + row) / BLOCK, blocks)[blocks + blockIdx.z] = sum;
    }
}

// Stores what a block of threads has computed, block of C by block; for GLOBAL with the sum of each and what the sums must be, and with checks of
// the rows of blocks that it completes. T has the sizes, patches the values, and expected a thread's part of what sums must be. room is shared
// memory for STORE_ROOM(T::BLOCK_THREADS) floats.
#define STORE_ROOM(count) (BLOCK * PITCH + (count) / 32)
template <int SCHEME, class T, class Rows, class Patches, class Expected>
DEVICE_FUNCTION void store_all(const Addresses& at, const Sizes& size, int first_row, int first_column, Patches& patches,
                               const Expected& expected, float* room) {
    float* const block = room;
    float* const warps = block + BLOCK * PITCH;
    const int blocks = (size.n + BLOCK - 1) / BLOCK;
    if (expected.counts) store_expected<T>(at, size, first_row, expected, warps);
    if constexpr (T::SLICED)
        if (gridDim.z > 1 && !add_slices<T>(at, patches, warps)) return;
#pragma unroll 1
    for (int row = 0; row < T::HEIGHT && first_row + row < size.m; row += BLOCK) {
        const int block_row = (first_row + row) / BLOCK;
#pragma unroll 1
        for (int column = 0; column < T::WIDTH && first_column + column < size.n; column += BLOCK) {
            const int block_column = (first_column + column) / BLOCK;
            __syncthreads();  // nobody needs what was in the room
            const float own = patches.put(block, row, column);
            if (SCHEME == GLOBAL) {
                const float sum = sum_across(own, 1, 16);
                if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
            }
            store_block<(T::WIDTH < BLOCK ? T::WIDTH : BLOCK), T::BLOCK_THREADS>(at, size, block_row, block_column, block);
            if (SCHEME == GLOBAL && threadIdx.x == 0) sums_of(at, block_row, blocks)[block_column] = sum_pairs<T::BLOCK_THREADS / 32>(warps);
        }
        if (SCHEME == GLOBAL) check_global<T, Rows>(at, size, block_row, warps);
    }
}

// What sums of C must be; nothing for schemes that do not ask.
struct NothingExpected {
    static const bool counts = false;
    DEVICE_FUNCTION explicit NothingExpected(const Addresses&) {}
    DEVICE_FUNCTION void load(int) {}
    template <class Stage>
    DEVICE_FUNCTION void add(const Stage*) {}
    DEVICE_FUNCTION float of(int) const { return 0; }
};
template <int SCHEME, class Expected>
struct ExpectedOf {
    typedef NothingExpected Type;
};
template <class Expected>
struct ExpectedOf<GLOBAL, Expected> {
    typedef Expected Type;
};
