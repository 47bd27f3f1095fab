/* SPDX-License-Identifier: Apache-2.0 */
// The operators of a network that are no products: a thread for each value of the output, but for pools and softmax. Images have their
// channels innermost. Values are float16 or float32, sums are float32.
#include "results.cuh"

DEVICE_FUNCTION uint64_t thread_number() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class E>
DEVICE_FUNCTION float load_value(uint64_t address, uint64_t i);
template <>
DEVICE_FUNCTION float load_value<Half>(uint64_t address, uint64_t i) {
    return half_to_float(reinterpret_cast<const uint16_t*>(address)[i]);
}
template <>
DEVICE_FUNCTION float load_value<Single>(uint64_t address, uint64_t i) {
    return reinterpret_cast<const float*>(address)[i];
}

template <class E>
DEVICE_FUNCTION typename E::Bits bits_of(float value);
template <>
DEVICE_FUNCTION uint16_t bits_of<Half>(float value) {
    return static_cast<uint16_t>(float_to_half(value));
}
template <>
DEVICE_FUNCTION uint32_t bits_of<Single>(float value) {
    return float_bits(value);
}

DEVICE_FUNCTION void store_value(uint64_t address, uint64_t i, float value, int flags) {
    if (flags & FLOAT_OUTPUT)
        reinterpret_cast<float*>(address)[i] = value;
    else
        reinterpret_cast<uint16_t*>(address)[i] = static_cast<uint16_t>(float_to_half(value));
}

// Loads neighbours, of which so many count: sixteen bytes at a time if wide.
template <class E>
DEVICE_FUNCTION void load_neighbours(float (&values)[NEIGHBOURS], uint64_t address, uint64_t i, int count, bool wide) {
    if (wide) {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e)
            values[e] = E::value(load_wide(reinterpret_cast<const typename E::Bits*>(address) + i + e / E::COUNT * E::COUNT), e % E::COUNT);
    } else {
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; ++e) values[e] = e < count ? load_value<E>(address, i + e) : 0;
    }
}

// Neighbours in a place of the output, which a thread computes, and the image that they are computed from.
struct Place {
    int row, column, top, left;
    uint64_t image;
    DEVICE_FUNCTION explicit Place(const Sizes& size) {
        const int across = (size.n + NEIGHBOURS - 1) / NEIGHBOURS;
        const uint64_t i = thread_number();
        row = i <= 0x7fffffff ? size.by_neighbours.of(static_cast<int>(i)) : static_cast<int>(i / across);
        column = static_cast<int>(i - static_cast<uint64_t>(row) * across) * NEIGHBOURS;
        const int line = size.by_out_width.of(row), number = size.by_out_height.of(line);
        top = (line - number * size.out_height) * size.stride_y - size.top;
        left = (row - line * size.out_width) * size.stride_x - size.left;
        image = static_cast<uint64_t>(number) * size.height * size.width;
    }
    // Whether a tap of the window is inside of the image; then pixel is its number.
    DEVICE_FUNCTION bool find(const Sizes& size, int dy, int dx, uint64_t& pixel) const {
        const int y = top + dy * size.dilation_y, x = left + dx * size.dilation_x;
        pixel = image + static_cast<uint64_t>(y) * size.width + x;
        return Patch<Half>::is_inside(size, y, x);
    }
};

// A convolution in groups of channels: weights are (taps of the filter, channels of a group, outputs).
template <class E>
DEVICE_FUNCTION void convolve_groups(const Addresses& at, const Sizes& size, int groups) {
    const Place place(size);
    if (place.row >= size.m) return;
    const Columns columns(at, size, place.column);
    const int depth = size.channels / groups;
    int first[NEIGHBOURS];  // channel that is read
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) first[e] = e < columns.count ? (place.column + e) / (size.n / groups) * depth : 0;
    float sums[NEIGHBOURS] = {};
    for (int dy = 0; dy < size.filter_height; ++dy)
        for (int dx = 0; dx < size.filter_width; ++dx) {
            uint64_t pixel;
            if (!place.find(size, dy, dx, pixel)) continue;
            const uint64_t tap = static_cast<uint64_t>(dy) * size.filter_width + dx;
            for (int c = 0; c < depth; ++c)
#pragma unroll
                for (int e = 0; e < NEIGHBOURS; ++e)
                    if (e < columns.count)
                        sums[e] += load_value<E>(at.a, pixel * size.channels + first[e] + c) *
                                   load_value<E>(at.weights, (tap * depth + c) * size.n + place.column + e);
        }
    store(at, size, columns, place.row, sums);
}
KERNEL(convolve_groups_half)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), int groups) { convolve_groups<Half>(at, size, groups); }
KERNEL(convolve_groups_single)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), int groups) {
    convolve_groups<Single>(at, size, groups);
}

// The largest value under the window; NaN if there is one.
struct Largest {
    static DEVICE_FUNCTION float start() { return bits_float(0xff800000u); }
    static DEVICE_FUNCTION float add(float largest, float value) { return value > largest || value != value ? value : largest; }
    static DEVICE_FUNCTION float end(float largest, int) { return largest; }
};
// The mean of the values.
struct Mean {
    static DEVICE_FUNCTION float start() { return 0; }
    static DEVICE_FUNCTION float add(float sum, float value) { return sum + value; }
    static DEVICE_FUNCTION float end(float sum, int count) { return sum / static_cast<float>(count); }
};

// A part of the window beyond the image counts as zeros, or not at all.
template <class E, class Of>
DEVICE_FUNCTION void pool(const Addresses& at, const Sizes& size, bool zeros) {
    const Place place(size);
    if (place.row >= size.m) return;
    const Columns columns(at, size, place.column);
    const bool wide = Patch<E>::all_wide(at, size) && columns.count >= NEIGHBOURS;
    float values[NEIGHBOURS];
    int count = 0;
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] = Of::start();
    for (int dy = 0; dy < size.filter_height; ++dy)
        for (int dx = 0; dx < size.filter_width; ++dx) {
            uint64_t pixel;
            if (!place.find(size, dy, dx, pixel)) continue;
            float some[NEIGHBOURS];
            load_neighbours<E>(some, at.a, pixel * size.channels + place.column, columns.count, wide);
#pragma unroll
            for (int e = 0; e < NEIGHBOURS; ++e) values[e] = Of::add(values[e], some[e]);
            ++count;
        }
    if (zeros) count = size.filter_height * size.filter_width;
#pragma unroll
    for (int e = 0; e < NEIGHBOURS; ++e) values[e] = Of::end(values[e], count);
    store(at, size, columns, place.row, values);
}
KERNEL(pool_max_half)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size)) { pool<Half, Largest>(at, size, false); }
KERNEL(pool_max_single)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size)) { pool<Single, Largest>(at, size, false); }
KERNEL(pool_mean_half)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), int zeros) { pool<Half, Mean>(at, size, zeros); }
KERNEL(pool_mean_single)(BY_VALUE(Addresses, at), BY_VALUE(Sizes, size), int zeros) { pool<Single, Mean>(at, size, zeros); }

DEVICE_FUNCTION float larger_across(float value) {
    for (int mask = 1; mask <= 16; mask *= 2) value = fmaxf(value, from_lane_across(value, mask));
    return value;
}

// Softmax along an axis of size values, inner values apart; a warp for each of count lines.
struct Lines {
    uint64_t from, to, count;
};
template <class E>
DEVICE_FUNCTION void softmax(const Lines& lines, int size, int inner, int flags) {
    const uint64_t line = thread_number() / 32;
    const int lane = threadIdx.x % 32;
    if (line >= lines.count) return;
    const uint64_t start = line / inner * inner * size + line % inner;
    float largest = bits_float(0xff800000u), sum = 0;
    for (int i = lane; i < size; i += 32) largest = fmaxf(largest, load_value<E>(lines.from, start + static_cast<uint64_t>(i) * inner));
    largest = larger_across(largest);
    for (int i = lane; i < size; i += 32) sum += expf(load_value<E>(lines.from, start + static_cast<uint64_t>(i) * inner) - largest);
    sum = sum_across(sum, 1, 16);
    for (int i = lane; i < size; i += 32) {
        const uint64_t at = start + static_cast<uint64_t>(i) * inner;
        store_value(lines.to, at, expf(load_value<E>(lines.from, at) - largest) / sum, flags);
    }
}
KERNEL(softmax_half)(BY_VALUE(Lines, lines), int size, int inner, int flags) { softmax<Half>(lines, size, inner, flags); }
KERNEL(softmax_single)(BY_VALUE(Lines, lines), int size, int inner, int flags) { softmax<Single>(lines, size, inner, flags); }

// Two operands and an output of up to three dimensions in a row; a stride of 0 repeats a value.
enum Operation { KEEP, ADD, MULTIPLY };
struct Operands {
    uint64_t left, right, to, count;
};
struct Strides {
    int size[3];  // of the output, whose values have no gaps
    int left[4];  // between rows, then in each dimension
    int right[4];
    int operation;
    int flags, function;
    float low, high;
};
template <class E>
DEVICE_FUNCTION void combine(const Operands& operands, const Strides& strides) {
    const uint64_t i = thread_number();
    if (i >= operands.count) return;
    const uint64_t x = i % strides.size[2], y = i / strides.size[2] % strides.size[1];
    const uint64_t z = i / strides.size[2] / strides.size[1] % strides.size[0];
    const uint64_t row = i / strides.size[2] / strides.size[1] / strides.size[0];
    const uint64_t left = row * strides.left[0] + z * strides.left[1] + y * strides.left[2] + x * strides.left[3];
    const uint64_t right = row * strides.right[0] + z * strides.right[1] + y * strides.right[2] + x * strides.right[3];
    float value = load_value<E>(operands.left, left);
    if (strides.operation == ADD) value = add_rounded(value, load_value<E>(operands.right, right));
    if (strides.operation == MULTIPLY) value = multiply_rounded(value, load_value<E>(operands.right, right));
    float values[1] = {value};
    activate(values, strides.function, strides.low, strides.high);
    store_value(operands.to, i, values[0], strides.flags);
}
KERNEL(combine_half)(BY_VALUE(Operands, operands), BY_VALUE(Strides, strides)) { combine<Half>(operands, strides); }
KERNEL(combine_single)(BY_VALUE(Operands, operands), BY_VALUE(Strides, strides)) { combine<Single>(operands, strides); }

// Copies rows of size values into another order and precision. In a row the channels, as many as given, are innermost; 1 is the
// order of ONNX, in which they are outermost.
struct Orders {
    uint64_t from, to, count;
};
template <class E>
DEVICE_FUNCTION void arrange(const Orders& orders, int size, int from_channels, int to_channels, int flags) {
    const uint64_t i = thread_number();
    if (i >= orders.count) return;
    const int place = static_cast<int>(i % size);
    const int plain = place % to_channels * (size / to_channels) + place / to_channels;
    const int pixels = size / from_channels;
    store_value(orders.to, i, load_value<E>(orders.from, i - place + plain % pixels * from_channels + plain / pixels), flags);
}
#define ARRANGE_PARAMETERS BY_VALUE(Orders, orders), int size, int from_channels, int to_channels, int flags
KERNEL(arrange_half)(ARRANGE_PARAMETERS) { arrange<Half>(orders, size, from_channels, to_channels, flags); }
KERNEL(arrange_single)(ARRANGE_PARAMETERS) { arrange<Single>(orders, size, from_channels, to_channels, flags); }

// Copies images into the order with the channels innermost, with zeros for more channels up to `chunks` of sixteen bytes. A thread makes one
// of count chunks.
template <class From, class To>
DEVICE_FUNCTION void widen(const Orders& orders, int pixels, int channels, int from_channels, int chunks) {
    const uint64_t i = thread_number();
    if (i >= orders.count) return;
    const int first = static_cast<int>(i % chunks) * To::COUNT, pixel = static_cast<int>(i / chunks % pixels);
    const uint64_t image = i / chunks / pixels * pixels * channels;
    uint32_t words[4] = {};
#pragma unroll
    for (int e = 0; e < To::COUNT; ++e) {
        const int channel = first + e;
        if (channel >= channels) break;
        const uint64_t at = from_channels == 1 ? static_cast<uint64_t>(channel) * pixels + pixel : static_cast<uint64_t>(pixel) * channels + channel;
        put<To>(words, e, bits_of<To>(load_value<From>(orders.from, image + at)));
    }
    reinterpret_cast<uint4*>(orders.to)[i] = make_uint4(words[0], words[1], words[2], words[3]);
}
#define WIDEN_PARAMETERS BY_VALUE(Orders, orders), int pixels, int channels, int from_channels, int chunks
KERNEL(widen_single_half)(WIDEN_PARAMETERS) { widen<Single, Half>(orders, pixels, channels, from_channels, chunks); }
KERNEL(widen_half_half)(WIDEN_PARAMETERS) { widen<Half, Half>(orders, pixels, channels, from_channels, chunks); }
KERNEL(widen_single_single)(WIDEN_PARAMETERS) { widen<Single, Single>(orders, pixels, channels, from_channels, chunks); }

// Copies runs of values to places that are further apart: a part of a concatenation.
template <class E>
DEVICE_FUNCTION void spread(const Orders& orders, int run, int stride, int offset, int flags) {
    const uint64_t i = thread_number();
    if (i >= orders.count) return;
    store_value(orders.to, i / run * stride + offset + i % run, load_value<E>(orders.from, i), flags);
}
KERNEL(spread_half)(BY_VALUE(Orders, orders), int run, int stride, int offset, int flags) { spread<Half>(orders, run, stride, offset, flags); }
KERNEL(spread_single)(BY_VALUE(Orders, orders), int run, int stride, int offset, int flags) {
    spread<Single>(orders, run, stride, offset, flags);
}

// Reports which values of two runs of one launch are not the same, bit by bit: as float16, so a float32 may be reported twice.
struct Runs {
    uint64_t first, second, count, verdict;
};
KERNEL(compare_runs)(BY_VALUE(Runs, runs)) {
    const uint64_t i = thread_number();
    if (i >= runs.count || reinterpret_cast<const uint16_t*>(runs.first)[i] == reinterpret_cast<const uint16_t*>(runs.second)[i]) return;
    Check check;
    check.compare(0, 0, bits_float(0x7fc00000u), 0);
    Addresses at = {};
    at.verdict = runs.verdict;
    check.report(at, 0, 0);
}
