/* SPDX-License-Identifier: Apache-2.0 */
// Hopper's matrix instruction, wgmma: four warps, a warpgroup, multiply together, from shared memory, while they do something else.
//
// A matrix in shared memory has rows of 64 bytes, 32 float16 along K, which are the rows of A or the columns of B. The four 16-byte chunks of
// a row are swizzled by bits of their address: chunk c of row r is at c ^ (r / 2 % 4). PTX calls that the 64-byte swizzle; it starts at a
// multiple of 512 bytes.
#pragma once
#include "tensor.cuh"

#define SWIZZLE_BYTES 512

#if defined(__CUDACC__)
// Lets products see what this thread has copied to shared memory; those of other warps, after a barrier.
DEVICE_FUNCTION void show_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Lets products see the sums as this thread has left them.
DEVICE_FUNCTION void show_sums() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Describes a matrix: bits 0 to 13 are its address, 16 to 29 an offset that swizzled matrices do not use, 32 to 45 the distance of
// eight rows, all in sixteen bytes; bits 62 and 63 are the kind of swizzle.
DEVICE_FUNCTION uint64_t describe(const uint4* matrix) {
    const uint64_t address = static_cast<uint32_t>(__cvta_generic_to_shared(matrix));
    return (address & 0x3ffffu) >> 4 | 1ull << 16 | static_cast<uint64_t>(SWIZZLE_BYTES >> 4) << 32 | 2ull << 62;
}

// Start d += a (64 x 16) * b (16 x 128 or 256) for a warpgroup: four warps, the first of which has a number that is a multiple of 4. A thread
// holds the sums of rows lane / 4 and lane / 4 + 8 of its warp's 16 rows, in columns 2 (lane % 4) and the next of each 8. Nobody may
// touch the sums before await_products.
#define FOUR(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
#define SIXTEEN(j) FOUR(j), FOUR(j + 1), FOUR(j + 2), FOUR(j + 3)
DEVICE_FUNCTION void start_product(float (&d)[16][4], const uint4* a, const uint4* b) {
    asm volatile(
        "{\n.reg .pred adds;\nsetp.ne.b32 adds, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, adds, 1, 1, 0, 0;\n}"
        : SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12)
        : "l"(describe(a)), "l"(describe(b))
        : "memory");
}
DEVICE_FUNCTION void start_product(float (&d)[32][4], const uint4* a, const uint4* b) {
    asm volatile(
        "{\n.reg .pred adds;\nsetp.ne.b32 adds, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, adds, 1, 1, 0, 0;\n}"
        : SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12), SIXTEEN(16), SIXTEEN(20), SIXTEEN(24), SIXTEEN(28)
        : "l"(describe(a)), "l"(describe(b))
        : "memory");
}
#undef SIXTEEN
#undef FOUR

// Ends a group of products.
DEVICE_FUNCTION void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until at most so many of the warpgroup's groups are on their way.
template <int GROUPS_LEFT, int I, int J>
DEVICE_FUNCTION void await_products(float (&d)[I][J][4]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(GROUPS_LEFT) : "memory");
    if constexpr (GROUPS_LEFT == 0) {  // the compiler must not read the sums earlier
#pragma unroll
        for (int i = 0; i < I * J * 4; ++i) asm volatile("" : "+f"(d[i / 4 / J][i / 4 % J][i % 4]) :: "memory");
    }
}
#else
#include "warpgroup.h"
#endif
