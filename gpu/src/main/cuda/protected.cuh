/* SPDX-License-Identifier: Apache-2.0 */
// The common part of the kernels that compute C = A * B and check it meanwhile. A has a row for each query, or for each output
// position of a convolution; B are weights, packed block by block. A check compares a sum of values of C with the same sum computed
// in another way. For a row r of A the two may differ by at most |a_r| * bound, with the 2-norm of the row and a bound that the host
// computes from the weights (ErrorBound). Larger differences are reported in a buffer.
#pragma once
#include "tensor.cuh"

#define BLOCK 64         // rows and columns of a block of C, which is stored and measured together
#define THREADS 128      // in a block of threads, unless its tile says otherwise
#define GROUPS 16        // of four columns of a block, which are checked together
#define MAX_REPORTS 63   // in a buffer

// In the order of Scheme.java.
enum Scheme { NONE, GLOBAL, THREAD_HALF, THREAD, TWO_SIDED, REPLICATION, DUPLICATION };

enum Flags { FLOAT_OUTPUT = 2, MEASURE_NEXT = 8, HALF_ADDEND = 16 };

// In the order of Activation.Function.
enum Function { CLIP, SIGMOID, TANH };

struct Addresses {
    uint64_t a, weights, bias, c;
    uint64_t squares;       // of A: the sum of squares of each row, for each part of the columns; of images: of each pixel, of its channels
    uint64_t bounds;        // of B: one for each group of columns, then one for all columns
    uint64_t sums;          // GLOBAL: for each row of blocks the sum of each block of C, and then what their sum must be, a part for each slice
    uint64_t arrivals;      // GLOBAL: for each row of blocks, the tiles that have summed their part of it; 0 before and after
    uint64_t row_sums;      // GLOBAL: of B, with zeros behind
    uint64_t next_squares;  // of C as the next layer's A: its squares, a part for each column of blocks
    uint64_t verdict;
    uint64_t addend;        // values that are added to those of C before the activation, at the same places; or 0
    uint64_t partials;      // of products in slices: for each tile the sums of each slice
    uint64_t finished;      // of products in slices: for each tile, the slices that are done; 0 before and after
};

struct Sizes {
    int m, n, k;
    int a_stride, c_stride;  // between rows, in elements
    int parts;               // of the columns, in squares
    int flags;
    // Of a convolution, whose A has a row for each image, y and x of the output, and a column for each y, x and channel of the
    // filter.
    int height, width, channels, out_height, out_width, filter_height, filter_width;
    int stride_y, stride_x, top, left, dilation_y, dilation_x;
    int function;     // after the addend ...
    float low, high;  // ... values are cut to this range
};

struct Verdict {
    uint32_t faults, unchecked, unused[2];
    struct {
        int row, column;
        float difference, tolerance;
    } reports[MAX_REPORTS];
};

// The comparisons of a thread. It reports the first of its checks that fails.
struct Check {
    int row, column;
    float difference, tolerance;

    DEVICE_FUNCTION Check() : row(0), column(0), difference(0), tolerance(0) {}

    DEVICE_FUNCTION bool holds() const { return fabsf(difference) <= tolerance && tolerance < 1e30f; }

    DEVICE_FUNCTION void compare(int at_row, int at_column, float distance, float allowed) {
        if (!holds()) return;
        row = at_row, column = at_column, difference = distance, tolerance = allowed;
    }

    // Where the comparisons' row 0 and column 0 are in C. A tolerance that is NaN, or so large that C may be infinite without a fault,
    // comes from the input.
    DEVICE_FUNCTION void report(const Addresses& at, int first_row, int first_column) const {
        if (holds()) return;
        Verdict* verdict = reinterpret_cast<Verdict*>(at.verdict);
        if (!(tolerance < 1e30f)) {
            atomicAdd(&verdict->unchecked, 1u);
            return;
        }
        const uint32_t number = atomicAdd(&verdict->faults, 1u);
        if (number < MAX_REPORTS) {
            verdict->reports[number].row = first_row + row;
            verdict->reports[number].column = first_column + column;
            verdict->reports[number].difference = difference;
            verdict->reports[number].tolerance = tolerance;
        }
    }
};

// Elements of A: the bits of a float16 or of a float32.
struct Half {
    typedef uint16_t Bits;
    static const int COUNT = 8;  // in 16 bytes
    static DEVICE_FUNCTION float value(const uint4& v, int i) {
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
        return half_to_float(words[i / 2] >> 16 * (i & 1) & 0xffffu);
    }
};
struct Single {
    typedef uint32_t Bits;
    static const int COUNT = 4;
    static DEVICE_FUNCTION float value(const uint4& v, int i) {
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
        return bits_float(words[i]);
    }
};

// Sixteen bytes of A as words; elements are put in one by one.
template <class E>
DEVICE_FUNCTION void put(uint32_t (&words)[4], int i, typename E::Bits bits) {
    words[i * sizeof(bits) / 4] |= static_cast<uint32_t>(bits) << (i * 8 * sizeof(bits) % 32);
}

// Where sixteen bytes of A are in memory: at an address of the GPU's, of which the first bytes count, and zeros follow.
struct Chunk {
    const void* from;
    uint32_t bytes;
};

// A row of a matrix.
template <class E>
struct Row {
    typedef E Element;
    // What the rows have in common.
    struct Column {
        int k;
        DEVICE_FUNCTION Column(const Sizes&, int k) : k(k) {}
    };
    const typename E::Bits* values;
    int k;
    bool wide, inside;

    DEVICE_FUNCTION Row() {}
    DEVICE_FUNCTION Row(const Addresses& at, const Sizes& size, int row) {
        values = reinterpret_cast<const typename E::Bits*>(at.a) + static_cast<uint64_t>(row) * size.a_stride;
        k = size.k;
        wide = (at.a % 16 | size.a_stride % E::COUNT) == 0;
        inside = row < size.m;
    }
    // The square of its 2-norm.
    static DEVICE_FUNCTION float square(const Addresses& at, const Sizes& size, int row) {
        float sum = 0;
        for (int part = 0; part < size.parts; ++part) sum += reinterpret_cast<const float*>(at.squares)[static_cast<uint64_t>(part) * size.m + row];
        return sum;
    }
    // From a column on, a multiple of COUNT, if wide.
    DEVICE_FUNCTION Chunk chunk(const Column& column) const {
        const int left = inside ? k - column.k : 0;
        return {left > 0 ? values + column.k : values, static_cast<uint32_t>(left < 0 ? 0 : left < E::COUNT ? left * sizeof *values : 16)};
    }
    // The same as values; zeros beyond the end.
    DEVICE_FUNCTION uint4 load(int column) const {
        if (inside && wide && column + E::COUNT <= k) return load_wide(values + column);
        uint32_t words[4] = {};
#pragma unroll
        for (int i = 0; i < E::COUNT; ++i)
            if (inside && column + i < k) put<E>(words, i, values[column + i]);
        return make_uint4(words[0], words[1], words[2], words[3]);
    }
    // The same of several rows.
    template <int ROWS>
    static DEVICE_FUNCTION void load(const Row (&rows)[ROWS], int column, uint4 (&values)[ROWS]) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) values[r] = rows[r].load(column);
    }
};

// The patch of the images under the filter, with the channels innermost: a row of A, without A.
template <class E>
struct Patch {
    typedef E Element;
    // Where the filter has a column.
    struct Column {
        int y, x, channel;
        bool inside;
        DEVICE_FUNCTION Column(const Sizes& size, int k) {
            const int tap = k / size.channels;
            channel = k % size.channels, inside = k < size.k;
            y = tap / size.filter_width * size.dilation_y, x = tap % size.filter_width * size.dilation_x;
        }
    };
    const typename E::Bits* image;
    const Sizes* sizes;
    int top, left;
    bool wide, inside;

    DEVICE_FUNCTION Patch() {}
    DEVICE_FUNCTION Patch(const Addresses& at, const Sizes& size, int row) : sizes(&size) {
        const int x = row % size.out_width, y = row / size.out_width % size.out_height;
        const uint64_t number = row / size.out_width / size.out_height;
        image = reinterpret_cast<const typename E::Bits*>(at.a) + number * size.height * size.width * size.channels;
        top = y * size.stride_y - size.top;
        left = x * size.stride_x - size.left;
        wide = (at.a % 16 | size.channels % E::COUNT) == 0;
        inside = row < size.m;
    }
    // The square of its 2-norm: the sum of those of its pixels.
    static DEVICE_FUNCTION float square(const Addresses& at, const Sizes& size, int row) {
        const Patch patch(at, size, row);
        const uint64_t of_image = static_cast<uint64_t>(size.height) * size.width, image = row / size.out_width / size.out_height;
        const uint64_t all = size.m / size.out_width / size.out_height * of_image;
        float sum = 0;
        for (int dy = 0; dy < size.filter_height; ++dy)
            for (int dx = 0; dx < size.filter_width; ++dx) {
                uint64_t pixel;
                if (!patch.sees(dy * size.dilation_y, dx * size.dilation_x, pixel)) continue;
                const float* const squares = reinterpret_cast<const float*>(at.squares) + image * of_image + pixel;
                for (int part = 0; part < size.parts; ++part) sum += squares[part * all];
            }
        return sum;
    }
    // Whether a place from its top and left on is inside of the image; then pixel is its number.
    DEVICE_FUNCTION bool sees(int down, int across, uint64_t& pixel) const {
        const int y = top + down, x = left + across;
        pixel = static_cast<uint64_t>(y) * sizes->width + x;
        return y >= 0 && y < sizes->height && x >= 0 && x < sizes->width;
    }
    // Null outside of the image.
    DEVICE_FUNCTION const typename E::Bits* find(const Column& column) const {
        uint64_t pixel;
        if (!inside || !column.inside || !sees(column.y, column.x, pixel)) return nullptr;
        return image + pixel * sizes->channels + column.channel;
    }
    DEVICE_FUNCTION Chunk chunk(const Column& column) const {
        const typename E::Bits* found = find(column);
        return {found ? found : image, found ? 16u : 0u};
    }
    DEVICE_FUNCTION uint4 load(int column) const {
        uint4 values[1];
        const Patch rows[1] = {*this};
        load(rows, column, values);
        return values[0];
    }
    // The same of several rows. Finding where the filter has an element takes many instructions, so it is done once for all of them, in a
    // loop; elements are pushed in at the end.
    template <int ROWS>
    static DEVICE_FUNCTION void load(const Patch (&rows)[ROWS], int column, uint4 (&values)[ROWS]) {
        const Sizes& size = *rows[0].sizes;
        if (rows[0].wide) {
            const Column at(size, column);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const typename E::Bits* found = rows[r].find(at);
                values[r] = found ? load_wide(found) : make_uint4(0, 0, 0, 0);
            }
            return;
        }
        const int bits = 8 * sizeof(typename E::Bits);
        uint64_t low[ROWS] = {}, high[ROWS] = {};
#pragma unroll 1
        for (int i = 0; i < E::COUNT; ++i) {
            const Column at(size, column + i);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const typename E::Bits* found = rows[r].find(at);
                low[r] = low[r] >> bits | high[r] << (64 - bits);
                high[r] = high[r] >> bits | (found ? static_cast<uint64_t>(*found) << (64 - bits) : 0);
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            values[r] = make_uint4(static_cast<uint32_t>(low[r]), static_cast<uint32_t>(low[r] >> 32), static_cast<uint32_t>(high[r]),
                                   static_cast<uint32_t>(high[r] >> 32));
    }
};

// The 2-norm of a row of A.
template <class Rows>
DEVICE_FUNCTION float load_norm(const Addresses& at, const Sizes& size, int row) {
    return row < size.m ? sqrtf(Rows::square(at, size, row)) : 0;
}

// The bound of a group of columns.
DEVICE_FUNCTION float load_bound(const Addresses& at, int group) { return reinterpret_cast<const float*>(at.bounds)[group]; }

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

// Where tests inject a fault; the shipped kernels have none.
struct NoFault {
    template <class Values, class Checks>
    DEVICE_FUNCTION void spoil(int, Values&, Checks&) const {}
};
