/* SPDX-License-Identifier: Apache-2.0 */
// Coded inference: parity queries, reconstructed predictions, stacks of images, and conversions. Every operation is rounded as
// on the CPU.
#include "tensor.cuh"

#define MEMBERS 16

DEVICE_FUNCTION uint64_t thread_number() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

struct Addition {
    uint64_t queries[MEMBERS];
    uint64_t parity;
    uint64_t count;
};
struct Weights {
    float of[MEMBERS];
};
struct WholeWeights {
    int of[MEMBERS];
};

// parity = sum of weight * query, member after member.
KERNEL(parity_floats_wide)(BY_VALUE(Addition, group), BY_VALUE(Weights, weights), int members) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    float sum[4] = {};
    for (int member = 0; member < members; ++member) {
        const uint4 bits = load_wide(reinterpret_cast<const uint4*>(group.queries[member]) + i);
        const float w = weights.of[member];
        sum[0] = add_rounded(sum[0], multiply_rounded(w, bits_float(bits.x)));
        sum[1] = add_rounded(sum[1], multiply_rounded(w, bits_float(bits.y)));
        sum[2] = add_rounded(sum[2], multiply_rounded(w, bits_float(bits.z)));
        sum[3] = add_rounded(sum[3], multiply_rounded(w, bits_float(bits.w)));
    }
    reinterpret_cast<float4*>(group.parity)[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

KERNEL(parity_floats_narrow)(BY_VALUE(Addition, group), BY_VALUE(Weights, weights), int members) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    float sum = 0;
    for (int member = 0; member < members; ++member)
        sum = add_rounded(sum, multiply_rounded(weights.of[member], reinterpret_cast<const float*>(group.queries[member])[i]));
    reinterpret_cast<float*>(group.parity)[i] = sum;
}

// Adds two bytes of a word, at bits 0 and 16, to two sums in one word.
DEVICE_FUNCTION uint32_t two_bytes(uint32_t word, uint32_t selector) { return permute_bytes(word, 0u, selector); }

// The same for bytes, with sums in unsigned 16-bit numbers, sixteen at a time.
KERNEL(parity_bytes_wide)(BY_VALUE(Addition, group), BY_VALUE(WholeWeights, weights), int members) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    uint32_t sums[8] = {};
    for (int member = 0; member < members; ++member) {
        const uint4 bytes = load_wide(reinterpret_cast<const uint4*>(group.queries[member]) + i);
        const uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
        for (int e = 0; e < 4; ++e) {  // no carry: the sums fit into 16 bits
            sums[2 * e] += weights.of[member] * two_bytes(words[e], 0x4140u);
            sums[2 * e + 1] += weights.of[member] * two_bytes(words[e], 0x4342u);
        }
    }
    uint4* parity = reinterpret_cast<uint4*>(group.parity) + 2 * i;
    parity[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    parity[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
}

KERNEL(parity_bytes_narrow)(BY_VALUE(Addition, group), BY_VALUE(WholeWeights, weights), int members) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    uint32_t sum = 0;
    for (int member = 0; member < members; ++member)
        sum += weights.of[member] * reinterpret_cast<const uint8_t*>(group.queries[member])[i];
    reinterpret_cast<uint16_t*>(group.parity)[i] = static_cast<uint16_t>(sum);
}

// The old values that a new value is the weighted sum of, when a side is resized.
struct Window {
    int first, count;
    double weights[4];
};
struct Concatenation {
    uint64_t queries[4];
    uint64_t parity;
    uint64_t across, down;  // a window for each column of each row of tiles, and for each row of a tile
    uint64_t count;
};
struct Image {
    int channels, height, width, tile_height, tiles;
};

// Shrinks images and puts them side by side, two above one, or into quadrants: first across, rounded, then down.
KERNEL(parity_images)(BY_VALUE(Concatenation, group), BY_VALUE(Image, image)) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    const int x = static_cast<int>(i % image.width), y = static_cast<int>(i / image.width % image.height);
    const uint64_t plane = i / image.width / image.height;
    const int band = y / image.tile_height;
    const int beside = 2 * band + x / (image.width / 2);
    const int place = beside < image.tiles ? beside : image.tiles - 1;
    const Window& across = reinterpret_cast<const Window*>(group.across)[band * image.width + x];
    const Window& down = reinterpret_cast<const Window*>(group.down)[y % image.tile_height];
    const float* query = reinterpret_cast<const float*>(group.queries[place]) + plane * image.height * image.width;
    double sum = 0;
    for (int r = 0; r < down.count; ++r) {
        const float* row = query + static_cast<uint64_t>(down.first + r) * image.width + across.first;
        double narrow = 0;
        for (int c = 0; c < across.count; ++c)
            narrow = add_rounded(narrow, multiply_rounded(across.weights[c], static_cast<double>(row[c])));
        sum = add_rounded(sum, multiply_rounded(down.weights[r], static_cast<double>(static_cast<float>(narrow))));
    }
    reinterpret_cast<float*>(group.parity)[i] = static_cast<float>(sum);
}

#define EQUATIONS 64
struct Decoding {
    uint64_t available[MEMBERS];
    uint64_t answers[MEMBERS];
    uint64_t lost[MEMBERS];
    uint64_t spoiled;
    uint64_t count;
    double weights[EQUATIONS];            // weights of the available members in each answer
    double inverse[MEMBERS * MEMBERS];  // from the remainders of the answers to the lost members
};

// A lost prediction is a combination of what remains of each answer without the available predictions. Bit i of a row's word is
// set if its lost member i has a value that is not finite.
KERNEL(decode_predictions)(BY_VALUE(Decoding, group), int members, int equations, int size) {
    const uint64_t i = thread_number();
    if (i >= group.count) return;
    const int which = blockIdx.y;
    double sum = 0;
    for (int equation = 0; equation < equations; ++equation) {
        double rest = reinterpret_cast<const float*>(group.answers[equation])[i];
        for (int member = 0; member < members; ++member) {
            const double value = reinterpret_cast<const float*>(group.available[member])[i];
            rest = add_rounded(rest, -multiply_rounded(group.weights[equation * members + member], value));
        }
        const double part = multiply_rounded(rest, group.inverse[which * equations + equation]);
        sum = equation == 0 ? part : add_rounded(sum, part);
    }
    const float value = static_cast<float>(sum);
    reinterpret_cast<float*>(group.lost[which])[i] = value;
    if ((float_bits(value) & 0x7f800000u) == 0x7f800000u)
        atomicOr(reinterpret_cast<uint32_t*>(group.spoiled) + i / size, 1u << which);
}

// Stacks fold images whose channels are innermost: the channels of a stack's images one after the other, pixel by pixel. Missing
// images of the last stack are copies of the last image.
template <class T>
DEVICE_FUNCTION void stack_images(const T* images, T* stacks, int rows, int pixels, int channels, int fold, uint64_t count) {
    const uint64_t i = thread_number();
    if (i >= count) return;
    const uint64_t wide = static_cast<uint64_t>(channels) * fold;
    const int member = static_cast<int>(i % wide / channels), channel = static_cast<int>(i % channels);
    const uint64_t pixel = i / wide % pixels;
    const uint64_t row = i / wide / pixels * fold + member;
    const uint64_t last = rows - 1;
    stacks[i] = images[((row < last ? row : last) * pixels + pixel) * channels + channel];
}
KERNEL(stack_images_1)(const uint8_t* images, uint8_t* stacks, int rows, int pixels, int channels, int fold, uint64_t count) {
    stack_images(images, stacks, rows, pixels, channels, fold, count);
}
KERNEL(stack_images_2)(const uint16_t* images, uint16_t* stacks, int rows, int pixels, int channels, int fold, uint64_t count) {
    stack_images(images, stacks, rows, pixels, channels, fold, count);
}
KERNEL(stack_images_4)(const uint32_t* images, uint32_t* stacks, int rows, int pixels, int channels, int fold, uint64_t count) {
    stack_images(images, stacks, rows, pixels, channels, fold, count);
}

// factor * value + offset, with the factor and offset of the value's channel.
template <class T>
DEVICE_FUNCTION void scale(const T* values, float* scaled, const float* factors, const float* offsets, int channels, int run,
                           uint64_t count) {
    const uint64_t i = thread_number();
    if (i >= count) return;
    const int channel = static_cast<int>(i / run % channels);
    scaled[i] = add_rounded(multiply_rounded(factors[channel], static_cast<float>(values[i])), offsets[channel]);
}
KERNEL(scale_bytes)(const uint8_t* values, float* scaled, const float* factors, const float* offsets, int channels, int run, uint64_t count) {
    scale(values, scaled, factors, offsets, channels, run, count);
}
KERNEL(scale_shorts)(const uint16_t* values, float* scaled, const float* factors, const float* offsets, int channels, int run, uint64_t count) {
    scale(values, scaled, factors, offsets, channels, run, count);
}
KERNEL(scale_floats)(const float* values, float* scaled, const float* factors, const float* offsets, int channels, int run, uint64_t count) {
    scale(values, scaled, factors, offsets, channels, run, count);
}

KERNEL(floats_to_halves)(const float* values, uint16_t* halves, uint64_t count) {
    const uint64_t i = thread_number();
    if (i < count) halves[i] = static_cast<uint16_t>(float_to_half(values[i]));
}
KERNEL(halves_to_floats)(const uint16_t* halves, float* values, uint64_t count) {
    const uint64_t i = thread_number();
    if (i < count) values[i] = half_to_float(halves[i]);
}
