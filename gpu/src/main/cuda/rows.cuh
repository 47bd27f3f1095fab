/* SPDX-License-Identifier: Apache-2.0 */
// The rows of A: of a matrix, or the patches of images that a filter sees; and their 2-norms.
#pragma once
#include "protected.cuh"

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

// A row of a matrix.
template <class E>
struct Row {
    typedef E Element;
    // Where sixteen bytes of each row are.
    struct Column {
        int k;
        DEVICE_FUNCTION Column(const Sizes&, int k) : k(k) {}
        DEVICE_FUNCTION void advance(const Sizes&, int by) { k += by; }
        DEVICE_FUNCTION bool is_inside(const Sizes& size) const { return k < size.k; }
    };
    const typename E::Bits* values;
    int k;
    bool wide, inside;

    DEVICE_FUNCTION Row() {}
    DEVICE_FUNCTION Row(const Addresses& at, const Sizes& size, int row) {
        values = reinterpret_cast<const typename E::Bits*>(at.a) + static_cast<uint64_t>(row) * size.a_stride;
        k = size.k;
        wide = all_wide(at, size);
        inside = row < size.m;
        keep(values);
    }
    // Whether rows are read sixteen bytes at a time.
    static DEVICE_FUNCTION bool all_wide(const Addresses& at, const Sizes& size) { return (at.a % 16 | size.a_stride % E::COUNT) == 0; }
    // The square of its 2-norm.
    static DEVICE_FUNCTION float square(const Addresses& at, const Sizes& size, int row) {
        float sum = 0;
        for (int part = 0; part < size.parts; ++part) sum += reinterpret_cast<const float*>(at.squares)[static_cast<uint64_t>(part) * size.m + row];
        return sum;
    }
    // Whether there is something at a column, and where, if wide.
    DEVICE_FUNCTION bool has(const Column&) const { return inside; }
    DEVICE_FUNCTION const typename E::Bits* find(const Column& column) const { return values + column.k; }
    // Starts to copy sixteen bytes to shared memory, or zeros.
    static DEVICE_FUNCTION void copy(uint4* to, const void* from, bool exists) { copy_wide(to, from, exists); }
    // The values there; zeros beyond the end.
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
    static DEVICE_FUNCTION void load(const Row (&rows)[ROWS], const Sizes&, const Column& column, uint4 (&values)[ROWS]) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) values[r] = rows[r].load(column.k);
    }
};

// The patch of the images under the filter, with the channels innermost: a row of A, without A.
template <class E>
struct Patch {
    typedef E Element;
    // Where sixteen bytes of each patch are: a tap of the filter, and a channel.
    struct Column {
        int k, y, x, channel;
        int offset;  // in the image, from the patch's top and left on
        DEVICE_FUNCTION Column(const Sizes& size, int k) : k(k) {
            const int tap = size.by_channels.of(k);
            channel = k - tap * size.channels;
            y = size.by_filter_width.of(tap), x = tap - y * size.filter_width;
            offset = (y * size.dilation_y * size.width + x * size.dilation_x) * size.channels;
        }
        DEVICE_FUNCTION void advance(const Sizes& size, int by) {
            k += by, channel += by;
            if (channel >= size.channels) *this = Column(size, k);
        }
        DEVICE_FUNCTION bool is_inside(const Sizes& size) const { return k < size.k; }
    };
    const typename E::Bits* origin;  // of its top and left, which may lie outside of the image
    const Sizes* sizes;
    int top, left;
    bool wide;

    DEVICE_FUNCTION Patch() {}
    DEVICE_FUNCTION Patch(const Addresses& at, const Sizes& size, int row) : sizes(&size) {
        const int line = size.by_out_width.of(row), image = size.by_out_height.of(line);
        top = (line - image * size.out_height) * size.stride_y - size.top;
        left = (row - line * size.out_width) * size.stride_x - size.left;
        if (row >= size.m) top = -0x40000000;  // sees nothing
        origin = reinterpret_cast<const typename E::Bits*>(at.a) +
                 (static_cast<int64_t>(image) * size.height * size.width + static_cast<int64_t>(top) * size.width + left) * size.channels;
        wide = all_wide(at, size);
    }
    // Whether patches are read sixteen bytes at a time.
    static DEVICE_FUNCTION bool all_wide(const Addresses& at, const Sizes& size) { return (at.a % 16 | size.channels % E::COUNT) == 0; }
    // The square of its 2-norm: the sum of those of its pixels.
    static DEVICE_FUNCTION float square(const Addresses& at, const Sizes& size, int row) {
        const Patch patch(at, size, row);
        const uint64_t of_image = static_cast<uint64_t>(size.height) * size.width, images = size.m / size.out_width / size.out_height;
        const float* const squares = reinterpret_cast<const float*>(at.squares) + row / size.out_width / size.out_height * of_image;
        float sum = 0;
        for (int dy = 0; dy < size.filter_height; ++dy)
            for (int dx = 0; dx < size.filter_width; ++dx) {
                const int y = patch.top + dy * size.dilation_y, x = patch.left + dx * size.dilation_x;
                if (!is_inside(size, y, x)) continue;
                const uint64_t pixel = static_cast<uint64_t>(y) * size.width + x;
                for (int part = 0; part < size.parts; ++part) sum += squares[part * images * of_image + pixel];
            }
        return sum;
    }
    static DEVICE_FUNCTION bool is_inside(const Sizes& size, int y, int x) {
        return static_cast<uint32_t>(y) < static_cast<uint32_t>(size.height) && static_cast<uint32_t>(x) < static_cast<uint32_t>(size.width);
    }
    // Whether a column is inside of the image, and where it is, if so.
    DEVICE_FUNCTION bool has(const Column& column) const {
        return is_inside(*sizes, top + column.y * sizes->dilation_y, left + column.x * sizes->dilation_x);
    }
    DEVICE_FUNCTION const typename E::Bits* find(const Column& column) const { return origin + column.offset + column.channel; }
    // Starts to copy sixteen bytes to shared memory, or zeros; the patches of neighbours have them, too.
    static DEVICE_FUNCTION void copy(uint4* to, const void* from, bool exists) { copy_wide_and_keep(to, from, exists); }

    // Values of several rows; zeros outside of the images.
    template <int ROWS>
    static DEVICE_FUNCTION void load(const Patch (&rows)[ROWS], const Sizes& size, const Column& column, uint4 (&values)[ROWS]) {
        if (rows[0].wide) {
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                values[r] = column.is_inside(size) && rows[r].has(column) ? load_wide(rows[r].find(column)) : make_uint4(0, 0, 0, 0);
            return;
        }
        // One by one, in a loop, because finding where the filter has an element takes many instructions; they are pushed in at the end.
        const int bits = 8 * sizeof(typename E::Bits);
        uint64_t low[ROWS] = {}, high[ROWS] = {};
#pragma unroll 1
        for (int i = 0; i < E::COUNT; ++i) {
            const Column one(size, column.k + i);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const uint64_t value = one.is_inside(size) && rows[r].has(one) ? *rows[r].find(one) : 0;
                low[r] = low[r] >> bits | high[r] << (64 - bits);
                high[r] = high[r] >> bits | value << (64 - bits);
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
