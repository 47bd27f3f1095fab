/* SPDX-License-Identifier: Apache-2.0 */
// The emulator's side of tensor.cuh.
#pragma once
#include "emulator.h"

inline uint32_t float_bits(float value) {
    uint32_t bits;
    return memcpy(&bits, &value, 4), bits;
}
inline float bits_float(uint32_t bits) {
    float value;
    return memcpy(&value, &bits, 4), value;
}

inline float half_to_float(uint32_t half) {
    const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) return bits_float(sign | 0x7f800000u | fraction << 13);
    if (exponent) return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
    return bits_float(sign | float_bits(fraction * 0x1p-24f));
}
inline uint32_t float_to_half(float value) {
    if (emulator::goes_wrong(emulator::STORED)) return 0x4000u ^ float_to_half(value);
    const uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
    if (magnitude < 0x38800000u)  // subnormal: a multiple of 2^-24
        return sign | uint32_t(std::nearbyint(double(bits_float(magnitude)) * 0x1p24));
    return sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
}
inline uint32_t pack_halves(float low, float high) {
    const uint32_t first = float_to_half(low);
    return first | float_to_half(high) << 16;
}
inline float cut(float value, float low, float high) {
    return value == value ? std::fmin(std::fmax(value, low), high) : value;
}
inline uint32_t add_halves(uint32_t x, uint32_t y) {
    return float_to_half(half_to_float(x & 0xffff) + half_to_float(y & 0xffff)) |
           float_to_half(half_to_float(x >> 16) + half_to_float(y >> 16)) << 16;
}
inline float multiply_rounded(float x, float y) { return x * y; }
inline float add_rounded(float x, float y) { return x + y; }
inline double multiply_rounded(double x, double y) { return x * y; }
inline double add_rounded(double x, double y) { return x + y; }

inline float from_lane_across(float value, int mask) {
    const int me = emulator::lane_number();
    const unsigned char* all = emulator::exchange(value);
    memcpy(&value, all + emulator::SLOT * (me ^ mask), sizeof value);
    return value;
}

inline void keep(int&) {}
template <class T>
void keep(T*&) {}

inline uint4 load_wide(const void* address) {
    if (reinterpret_cast<uintptr_t>(address) % 16) {
        fprintf(stderr, "emulator: a wide load from %p, which is no multiple of 16\n", address);
        abort();
    }
    return *static_cast<const uint4*>(address);
}

inline float load_from_others(const float* address) { return *address; }

inline void load_shared(float* values, const float* from) {
    const uint4 words = load_wide(from);
    memcpy(values, &words, sizeof words);
}

inline void store_shared(float* to, float x, float y) { to[0] = x, to[1] = y; }

// Copies happen when they are waited for. Until then there is garbage: whoever reads too early, or still needs what was there, gets it.
inline void copy_wide(uint4* to, const void* from, bool exists) {
    if (reinterpret_cast<uintptr_t>(to) % 16 || reinterpret_cast<uintptr_t>(from) % 16) {
        fprintf(stderr, "emulator: a copy from %p to %p, which must be multiples of 16\n", from, static_cast<void*>(to));
        abort();
    }
    memset(to, 0xA5, 16);
    emulator::lane->copies.push_back({to, from, exists ? 16u : 0u, emulator::lane->groups});
}
inline void copy_wide_and_keep(uint4* to, const void* from, bool exists) { copy_wide(to, from, exists); }
inline void commit_copies() { ++emulator::lane->groups; }
template <int GROUPS_LEFT>
void await_copies() {
    auto& copies = emulator::lane->copies;
    size_t done = 0;
    for (; done < copies.size() && copies[done].group + GROUPS_LEFT < emulator::lane->groups; ++done) {
        memset(copies[done].to, 0, 16);
        memcpy(copies[done].to, copies[done].from, copies[done].bytes);
        emulator::lane->copies_shown = false;
    }
    copies.erase(copies.begin(), copies.begin() + done);
}

inline void load_tiles(uint32_t (&d)[4], const uint4* row) {
    if (reinterpret_cast<uintptr_t>(row) % 16) {
        fprintf(stderr, "emulator: a row of a tile at %p, which is no multiple of 16\n", static_cast<const void*>(row));
        abort();
    }
    const int me = emulator::lane_number();
    const unsigned char* all = emulator::exchange(row);
    for (int tile = 0; tile < 4; ++tile) {
        const uint4* of;
        memcpy(&of, all + emulator::SLOT * (8 * tile + me / 4), sizeof of);
        memcpy(&d[tile], reinterpret_cast<const uint32_t*>(of) + me % 4, 4);
    }
}

// Fibers run one at a time.
inline uint32_t atomicAdd(uint32_t* p, uint32_t value) {
    const uint32_t old = *p;
    return *p += value, old;
}
inline uint32_t atomicOr(uint32_t* p, uint32_t value) {
    const uint32_t old = *p;
    return *p |= value, old;
}

// As tensor cores add, by measurements (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ
// 2021): exact products of a group and the sum so far are cut, not rounded, to 24 bits of the largest, and so is the result.
// The group is 4 here, the smallest of any GPU, which cuts most often.
inline float add_products(float sum, const float* a, const float* b) {
    const int GROUP = 4;
    for (int k = 0; k < 16; k += GROUP) {
        double terms[GROUP + 1], largest = std::fabs(double(sum)), all = largest;
        terms[GROUP] = sum;
        for (int i = 0; i < GROUP; ++i) {
            terms[i] = double(a[k + i]) * b[k + i];
            const double magnitude = std::fabs(terms[i]);
            largest = magnitude > largest ? magnitude : largest;
            all += magnitude;
        }
        if (all == 0) continue;
        if (!(all < 0x1p126)) {  // or it is not a number
            for (int i = 0; i < GROUP; ++i) sum += float(terms[i]);
            continue;
        }
        uint64_t bits;
        memcpy(&bits, &largest, 8);
        const int64_t exponent = int64_t(bits >> 52) - 1023;
        const uint64_t up_bits = uint64_t(1023 + 23 - exponent) << 52, unit_bits = uint64_t(1023 - 23 + exponent) << 52;
        double up, unit;
        memcpy(&up, &up_bits, 8), memcpy(&unit, &unit_bits, 8);
        int64_t total = 0;
        for (double term : terms) total += int32_t(term * up);
        int cut = 0;
        while (std::llabs(total) >> cut >= 1 << 24) ++cut;
        total = total < 0 ? -(-total >> cut) : total >> cut;
        sum = float(double(total) * unit * double(1 << cut));
    }
    return sum;
}

// A warp's fragments, of which every thread gives its part.
template <int I, int J>
struct Fragments {
    float rows[I][2][16], columns[J][2][16];

    Fragments(const uint32_t (&a)[I][4], const uint32_t (&b)[J][2]) {
        struct Part {
            uint32_t a[I][4], b[J][2];
        } part;
        memcpy(part.a, a, sizeof part.a), memcpy(part.b, b, sizeof part.b);
        const int lane = emulator::lane_number();
        const unsigned char* all = emulator::exchange(part);
        auto of = [&](int l) { return reinterpret_cast<const Part*>(all + emulator::SLOT * l); };
        auto value = [](uint32_t word, int k) { return half_to_float(word >> 16 * (k & 1) & 0xffff); };
        for (int k = 0; k < 16; ++k) {
            const int quarter = (k & 7) >> 1, high = k >> 3;
            for (int i = 0; i < I; ++i)
                for (int e = 0; e < 2; ++e) rows[i][e][k] = value(of((lane >> 2) * 4 + quarter)->a[i][2 * high + e], k);
            for (int j = 0; j < J; ++j)
                for (int e = 0; e < 2; ++e) columns[j][e][k] = value(of((2 * (lane & 3) + e) * 4 + quarter)->b[j][high], k);
        }
    }
};

inline void multiply_fragment(const float (&rows)[2][16], const float (&columns)[2][16], float (&d)[4]) {
    for (int e = 0; e < 4; ++e) d[e] = add_products(d[e], rows[e >> 1], columns[e & 1]);
    if (emulator::goes_wrong(emulator::PRODUCT)) d[0] = bits_float(float_bits(d[0]) ^ 0x40000000u);
}

template <int I, int J>
void multiply_tiles(float (&d)[I][J][4], const uint32_t (&a)[I][4], const uint32_t (&b)[J][2]) {
    const Fragments<I, J> fragments(a, b);
    for (int i = 0; i < I; ++i)
        for (int j = 0; j < J; ++j) multiply_fragment(fragments.rows[i], fragments.columns[j], d[i][j]);
}
template <int I, int J>
void multiply_tiles_into_one(float (&d)[4], const uint32_t (&a)[I][4], const uint32_t (&b)[J][2]) {
    const Fragments<I, J> fragments(a, b);
    for (int i = 0; i < I; ++i)
        for (int j = 0; j < J; ++j) multiply_fragment(fragments.rows[i], fragments.columns[j], d);
}
