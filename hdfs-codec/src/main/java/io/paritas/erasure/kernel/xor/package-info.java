/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Programs of xors alone, the compiler that shortens them, and the kernels that run them over strips.
 *
 * <p>Over GF(2) a coding matrix is a matrix of bits, and each of its rows says which strips to xor. Uezato, "Accelerating
 * XOR-based erasure coding using program optimization techniques" (SC'21), treats such a product as a straight-line
 * program and optimises it like a compiler. The way of a program here: {@link io.paritas.erasure.kernel.xor.Compression}
 * (share common pairs) makes a {@link io.paritas.erasure.kernel.xor.XorProgram}, which fuses its definitions (fewer
 * memory accesses); {@link io.paritas.erasure.kernel.xor.Scheduler} orders them and says which block of memory each value
 * lives in, a {@link io.paritas.erasure.kernel.xor.Schedule}; a {@link io.paritas.erasure.kernel.xor.StripKernel} runs
 * that block by block, or, where strips are interleaved in packets, as one loop of generated code. The other form of the same product, {@link io.paritas.erasure.kernel.xor.Gemm}, never looks at the
 * matrix's values.
 */
package io.paritas.erasure.kernel.xor;
