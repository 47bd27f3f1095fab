/* SPDX-License-Identifier: Apache-2.0 */
// The subset of CUDA that portable.cuh allows, for g++. Every thread of a block is a fiber; __syncthreads and the
// collectives of a warp are places where fibers wait for each other; blocks run one after another.
//
// It finds what a GPU may not show: barriers that not all threads reach, use of shared memory before it is written (it starts
// as garbage), reads and writes outside of buffers and of shared arrays (each ends at an unmapped page), misaligned
// accesses of 4 to 16 bytes in generated PTX, and results that depend on the order of threads and of blocks (EMU_ORDER = 0 ascending, 1
// descending, 2 random, 3 random with warps that drift apart). It cannot find races between blocks, and knows no time.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

namespace emulator {
// What a thread hands to the others of its warp in a collective: at most this many bytes.
constexpr size_t SLOT = 64;

// A copy to shared memory that is on its way.
struct Copy {
    void* to;
    const void* from;
    unsigned bytes, group;
};

// A product of a warpgroup that is on its way: matrices in shared memory, and this thread's sums of so many eights of columns.
struct Product {
    const void *a, *b;
    float (*sums)[4];
    int columns;
    unsigned group;
};

struct Lane {
    uint3 thread;
    int state;
    unsigned char slot[SLOT];
    std::vector<Copy> copies;
    unsigned groups;  // of copies, that are complete
    std::vector<Product> products;
    unsigned product_groups;
    bool copies_shown, sums_shown;  // to products
};
struct Warp {
    unsigned char slots[32][SLOT];
};
extern Lane* lane;
extern Warp* warp;
extern uint3 block;
extern dim3 block_size, grid_size;

// What the running kernel computes wrong, once: a bit of a product of the matrix units, or of a value that is stored as float16.
enum Wrong { NOTHING, PRODUCT, STORED };
extern Wrong wrong;

// Whether this is the value to compute wrong.
inline bool goes_wrong(Wrong what) {
    if (wrong != what) return false;
    wrong = NOTHING;
    return true;
}

void wait_for_block();
void wait_for_warp();
void* shared_array(const void* tag, size_t bytes);
void* dynamic_shared(size_t alignment);

// The number of the current thread in its warp.
inline int lane_number() {
    return (lane->thread.x + block_size.x * (lane->thread.y + block_size.y * lane->thread.z)) & 31;
}

// Gives a value to the warp; returns everybody's, at a distance of SLOT bytes.
template <class T>
const unsigned char* exchange(const T& value) {
    static_assert(sizeof(T) <= SLOT, "a slot is too small");
    std::memcpy(lane->slot, &value, sizeof value);
    wait_for_warp();
    return &warp->slots[0][0];
}

struct Kernel {
    std::string name;
    void (*body)(void** parameters);
    std::vector<size_t> parameter_sizes;
};
std::vector<Kernel>& kernels();

template <class... A, size_t... I>
void call(void (*f)(A...), void** p, std::index_sequence<I...>) {
    f(*static_cast<std::remove_reference_t<A>*>(p[I])...);
}
template <auto F>
struct Registration;
template <class... A, void (*F)(A...)>
struct Registration<F> {
    explicit Registration(const char* name) {
        kernels().push_back({name, [](void** p) { call(F, p, std::index_sequence_for<A...>()); }, {sizeof(A)...}});
    }
};

// Runs body for every thread; false, and a line on stderr, if a barrier was not reached by all of a block.
bool run(const char* name, void (*body)(void**), void** parameters, dim3 grid, dim3 block, size_t dynamic_bytes);
}  // namespace emulator

#define threadIdx (emulator::lane->thread)
#define blockIdx (emulator::block)
#define blockDim (emulator::block_size)
#define gridDim (emulator::grid_size)
#define __restrict__ __restrict
#define __syncthreads() emulator::wait_for_block()
#define __threadfence()
#define KERNEL(name) extern "C" void name
#define DEVICE_FUNCTION inline
#define SHARED_ARRAY(type, name, count) \
    static char name##_tag;             \
    type(&name)[count] = *reinterpret_cast<type(*)[count]>(emulator::shared_array(&name##_tag, sizeof(type) * (count)))
#define DYNAMIC_SHARED(type, name, alignment) type* const name = static_cast<type*>(emulator::dynamic_shared(alignment))
#define BY_VALUE(type, name) const type name
#define EMULATED(kernel) static emulator::Registration<kernel> kernel##_registration(#kernel)

// prmt.b32: byte i of the result is the byte of b:a that nibble i of the selector names; its bit 3 spreads the sign.
inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = (uint64_t(b) << 32) | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> (4 * i) & 15;
        uint32_t byte = bytes >> (8 * (nibble & 7)) & 255;
        if (nibble & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}
