/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Programs of xors, their compiler, and the kernels that run them over strips.
 *
 * <p>Over GF(2) a coding matrix is a matrix of bits, and each of its rows says which strips to xor. Uezato
 * treats such a product as a straight-line program and optimises it as a compiler does. The steps: {@link io.paritas.erasure.kernel.xor.Compression}
 * (share common pairs) makes a {@link io.paritas.erasure.kernel.xor.XorProgram}, which fuses its definitions (fewer
 * memory accesses); {@link io.paritas.erasure.kernel.xor.Scheduler} orders them and says which block of memory each value
 * lives in, a {@link io.paritas.erasure.kernel.xor.ScheduledProgram}; a {@link io.paritas.erasure.kernel.xor.StripKernel} runs
 * that block by block, or, where strips are interleaved in packets, as one loop of generated code. The other form of the product, {@link
 * io.paritas.erasure.kernel.xor.GemmTiling}, does not depend on the values of the matrix.
 *
 * <p>Sources: Y. Uezato, "Accelerating XOR-based Erasure Coding using Program Optimization Techniques", Proceedings of the
 * International Conference for High Performance Computing, Networking, Storage and Analysis (SC'21), 2021, cited as "Uezato";
 * J. Hu, J. Kosaian, K. V. Rashmi, "Rethinking Erasure-Coding Libraries in the Age of Optimized Machine Learning", 16th ACM
 * Workshop on Hot Topics in Storage and File Systems (HotStorage'24), 2024, cited as "HotStorage'24".
 */
package io.paritas.erasure.kernel.xor;
