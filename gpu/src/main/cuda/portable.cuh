/* SPDX-License-Identifier: Apache-2.0 */
// Everything that a kernel of this folder may use: for nvcc in CUDA's spelling; for g++, without a CUDA toolkit, in the
// emulator's (src/test/native). So the tests run the same sources.
#pragma once
#if defined(__CUDACC__)
#include <stdint.h>
#define KERNEL(name) extern "C" __global__ void name
#define DEVICE_FUNCTION __device__ __forceinline__
// A static array in shared memory; the dynamic part of shared memory, aligned to so many bytes.
#define SHARED_ARRAY(type, name, count) __shared__ __align__(16) type name[count]
#define DYNAMIC_SHARED(type, name, alignment) extern __shared__ __align__(alignment) type name[]
// A parameter that is a struct, passed by value in constant memory.
#define BY_VALUE(type, name) const __grid_constant__ type name

// prmt.b32. Not __byte_perm, which drops the bit of the selector that spreads a sign.
DEVICE_FUNCTION uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector) {
    uint32_t d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
    return d;
}
#else
#include "emulator.h"
#endif

// 0xff in each byte whose highest bit is set, else 0.
DEVICE_FUNCTION uint32_t high_bits_to_bytes(uint32_t word) { return permute_bytes(word, 0u, 0xba98u); }
