/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Machine code for x86-64 and AArch64 that Java writes itself: straight-line loops for one matrix, with instructions that the JIT does
 * not use, above all those that multiply in GF(2<sup>8</sup>) (GFNI).
 *
 * <p>The steps: {@link io.paritas.erasure.kernel.machine.ProductProgram} says what is computed, with as few products as
 * possible; {@link io.paritas.erasure.kernel.machine.KernelWriter} gives values registers ({@link
 * io.paritas.erasure.kernel.machine.RegisterFile}) and writes a loop with the {@link
 * io.paritas.erasure.kernel.machine.Assembler}; {@link io.paritas.erasure.kernel.machine.ExecutableMemory} makes it
 * callable. {@link io.paritas.erasure.kernel.machine.MachineCode} is the face to the kernels.
 *
 * <p>Why bit matrices: an 8×8 matrix over GF(2) multiplies by a constant of GF(2<sup>8</sup>). J. Bloemer, M. Kalfane, R. Karp,
 * M. Karpinski, M. Luby, D. Zuckerman, "An XOR-Based Erasure-Resilient Coding Scheme", ICSI TR-95-048, 1995.
 */
package io.paritas.erasure.kernel.machine;
