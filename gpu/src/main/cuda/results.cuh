/* SPDX-License-Identifier: Apache-2.0 */
// What becomes of the sums of products: slices of the depth are added, the checks of GLOBAL are done, and the values of C are finished and
// stored.
#pragma once
#include "rows.cuh"

// Cuts a value to a range, and applies a function; NaN stays NaN.
DEVICE_FUNCTION float activate(float value, int function, float low, float high) {
    value = value > low ? value : value == value ? low : value;
    value = value < high ? value : value == value ? high : value;
    if (function == SIGMOID) return 1 / (1 + expf(-value));
    return function == TANH ? tanhf(value) : value;
}

// Adds the bias and the addend to value i of C, and applies the activation.
DEVICE_FUNCTION float finish(const Addresses& at, const Sizes& size, uint64_t i, int column, float value) {
    if (at.bias) value += reinterpret_cast<const float*>(at.bias)[column];
    if (at.addend && (size.flags & HALF_ADDEND))
        value += half_to_float(reinterpret_cast<const uint16_t*>(at.addend)[i]);
    else if (at.addend)
        value += reinterpret_cast<const float*>(at.addend)[i];
    return activate(value, size.function, size.low, size.high);
}

// Finishes and stores a value of C. Returns the stored value, or 0 outside of C.
DEVICE_FUNCTION float store(const Addresses& at, const Sizes& size, int row, int column, float value) {
    if (row >= size.m || column >= size.n) return 0;
    const uint64_t i = static_cast<uint64_t>(row) * size.c_stride + column;
    value = finish(at, size, i, column, value);
    if (size.flags & FLOAT_OUTPUT) {
        reinterpret_cast<float*>(at.c)[i] = value;
        return value;
    }
    const uint32_t half = float_to_half(value);
    reinterpret_cast<uint16_t*>(at.c)[i] = static_cast<uint16_t>(half);
    return half_to_float(half);
}

// The same for two neighbours in a row; the values become what is stored.
DEVICE_FUNCTION void store_two(const Addresses& at, const Sizes& size, int row, int column, float (&values)[2]) {
    const uint64_t i = static_cast<uint64_t>(row) * size.c_stride + column;
    bool inside[2];
    uint32_t halves[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
        inside[e] = row < size.m && column + e < size.n;
        values[e] = inside[e] ? finish(at, size, i + e, column + e, values[e]) : 0;
        if (inside[e] && (size.flags & FLOAT_OUTPUT)) reinterpret_cast<float*>(at.c)[i + e] = values[e];
    }
    if (size.flags & FLOAT_OUTPUT) return;
#pragma unroll
    for (int e = 0; e < 2; ++e) values[e] = half_to_float(halves[e] = float_to_half(values[e]));
    if (inside[1] && (at.c / 2 + i) % 2 == 0) {
        *reinterpret_cast<uint32_t*>(at.c + 2 * i) = halves[0] | halves[1] << 16;
        return;
    }
#pragma unroll
    for (int e = 0; e < 2; ++e)
        if (inside[e]) reinterpret_cast<uint16_t*>(at.c)[i + e] = static_cast<uint16_t>(halves[e]);
}

// Stores a block of C, of which COLUMNS are there, from shared memory, with rows PITCH apart, and what the next layer's checks need:
// the sum of squares of each row, in which squares below the smallest normal number count as that number. COUNT threads do so.
#define PITCH (BLOCK + 8)
#define LEAST_SQUARES 7.6e-37f
template <int COLUMNS, int COUNT>
DEVICE_FUNCTION void store_block(const Addresses& at, const Sizes& size, int block_row, int block_column, const float* block) {
    __syncthreads();
    const int LANES = COLUMNS / 2;
    const int lane = threadIdx.x % LANES, column = block_column * BLOCK + 2 * lane;
#pragma unroll 1
    for (int r = threadIdx.x / LANES; r < BLOCK; r += COUNT / LANES) {
        const int row = block_row * BLOCK + r;
        float values[2] = {block[r * PITCH + 2 * lane], block[r * PITCH + 2 * lane + 1]};
        store_two(at, size, row, column, values);
        if (!(size.flags & MEASURE_NEXT)) continue;
        const float squares = sum_across(values[0] * values[0] + values[1] * values[1], 1, LANES / 2);
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
