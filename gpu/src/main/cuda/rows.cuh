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
