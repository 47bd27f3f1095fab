/* SPDX-License-Identifier: Apache-2.0 */
// What kernels of neural networks may use besides portable.cuh: float16, sums over warps, matrix instructions, and arithmetic
// without fusion.
#pragma once
#include "portable.cuh"
#if defined(__CUDACC__)
#include <cuda_fp16.h>

DEVICE_FUNCTION float half_to_float(uint32_t bits) { return __half2float(__ushort_as_half(static_cast<uint16_t>(bits))); }
// Rounds to nearest; values that are too large become infinite.
DEVICE_FUNCTION uint32_t float_to_half(float value) { return __half_as_ushort(__float2half_rn(value)); }
// The same for two values; the first one is in the lower half.
DEVICE_FUNCTION uint32_t pack_halves(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&both);
}
// Cuts a value to a range; NaN stays NaN.
DEVICE_FUNCTION float cut(float value, float low, float high) {
#if __CUDA_ARCH__ >= 800
    asm("max.NaN.f32 %0, %0, %1;\n\tmin.NaN.f32 %0, %0, %2;" : "+f"(value) : "f"(low), "f"(high));
    return value;
#else
    return value == value ? fminf(fmaxf(value, low), high) : value;
#endif
}
// Adds two pairs of float16, rounding each sum.
DEVICE_FUNCTION uint32_t add_halves(uint32_t x, uint32_t y) {
    uint32_t sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
    return sum;
}
DEVICE_FUNCTION uint32_t float_bits(float value) { return __float_as_uint(value); }
DEVICE_FUNCTION float bits_float(uint32_t bits) { return __uint_as_float(bits); }
// Returns the value of the thread whose number in the warp differs in the bits of mask.
DEVICE_FUNCTION float from_lane_across(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }

// Every operation is rounded, as in Java: nvcc would fuse a product and a sum.
DEVICE_FUNCTION float multiply_rounded(float x, float y) { return __fmul_rn(x, y); }
DEVICE_FUNCTION float add_rounded(float x, float y) { return __fadd_rn(x, y); }
DEVICE_FUNCTION double multiply_rounded(double x, double y) { return __dmul_rn(x, y); }
DEVICE_FUNCTION double add_rounded(double x, double y) { return __dadd_rn(x, y); }

// Keeps a value in a register: nvcc would compute it again wherever it is needed.
DEVICE_FUNCTION void keep(int& value) { asm volatile("" : "+r"(value)); }
template <class T>
DEVICE_FUNCTION void keep(T*& value) { asm volatile("" : "+l"(value)); }

// Loads sixteen bytes from an aligned address.
DEVICE_FUNCTION uint4 load_wide(const void* address) { return *static_cast<const uint4*>(address); }

// Loads what another block of threads has stored: from the L2 cache, because a multiprocessor's own may have what was there before.
DEVICE_FUNCTION float load_from_others(const float* address) { return __ldcg(address); }

// Loads four values from an aligned address in shared memory. Not in C++: nvcc 13 then leaves some loads in whose values nobody needs,
// and not the same ones each time.
DEVICE_FUNCTION void load_shared(float* values, const float* from) {
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))) : "memory");
}

// Stores two values in shared memory, at a multiple of eight bytes.
DEVICE_FUNCTION void store_shared(float* to, float x, float y) { *reinterpret_cast<float2*>(to) = make_float2(x, y); }

// Copies sixteen bytes to shared memory, or puts zeros there. They are there when await_copies has counted the thread's groups
// of copies, each of which ends with commit_copies; for other threads, after __syncthreads, too.
DEVICE_FUNCTION void copy_wide(uint4* to, const void* from, bool exists) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0) : "memory");
#else  // Turing copies through registers
    *to = exists ? load_wide(from) : make_uint4(0, 0, 0, 0);
#endif
}
// The same for what other copies of this multiprocessor need, too: they stay in its L1 cache.
DEVICE_FUNCTION void copy_wide_and_keep(uint4* to, const void* from, bool exists) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;"
                 :: "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0) : "memory");
#else
    copy_wide(to, from, exists);
#endif
}
DEVICE_FUNCTION void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most so many of the thread's groups are on their way.
template <int GROUPS_LEFT>
DEVICE_FUNCTION void await_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" :: "n"(GROUPS_LEFT) : "memory");
#endif
}

// Loads four tiles of 8 x 8 float16 from shared memory. Each thread has the address of a row of sixteen bytes: threads 0 to 7 those of the
// first tile, and so on. Each gets the values in row lane / 4, columns 2 (lane % 4) and the next, of every tile.
DEVICE_FUNCTION void load_tiles(uint32_t (&d)[4], const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row))) : "memory");
}

// d += a (16 x 16, by rows) * b (16 x 8, by columns): float16 in, float32 sums. Each thread holds the elements of
// PTX's mma.m16n8k16: rows lane / 4 and lane / 4 + 8, columns 2 (lane % 4) and the next.
DEVICE_FUNCTION void multiply_tile(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else  // Turing has only half the depth
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#endif
}

// Multiplies every a with every b; the emulator does so in one step.
template <int I, int J>
DEVICE_FUNCTION void multiply_tiles(float (&d)[I][J][4], const uint32_t (&a)[I][4], const uint32_t (&b)[J][2]) {
#pragma unroll
    for (int i = 0; i < I; ++i)
#pragma unroll
        for (int j = 0; j < J; ++j) multiply_tile(d[i][j], a[i], b[j]);
}

// The same, with all sums in one d.
template <int I, int J>
DEVICE_FUNCTION void multiply_tiles_into_one(float (&d)[4], const uint32_t (&a)[I][4], const uint32_t (&b)[J][2]) {
#pragma unroll
    for (int i = 0; i < I; ++i)
#pragma unroll
        for (int j = 0; j < J; ++j) multiply_tile(d, a[i], b[j]);
}
#else
#include "tensor.h"
#endif

// The sum over the threads of a warp whose numbers differ in the bits between first and last, powers of 2.
DEVICE_FUNCTION float sum_across(float value, int first, int last) {
    for (int mask = first; mask <= last; mask *= 2) value += from_lane_across(value, mask);
    return value;
}
