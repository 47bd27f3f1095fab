/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels: what turns the product of a matrix with units into machine code.
 *
 * <p>The way of the data: the rows of a matrix become a {@link io.paritas.erasure.kernel.Program} (xor and "times x", by
 * Horner's rule), a {@link io.paritas.erasure.kernel.KernelProvider} optimises it and compiles it to a
 * {@link io.paritas.erasure.kernel.Kernel}, and the kernel runs over {@link io.paritas.erasure.kernel.Regions}. Callers
 * validate, kernels assume. {@code docs/kernels.md} follows one program all the way.
 *
 * <p>Which provider runs is decided once, by {@link io.paritas.erasure.kernel.KernelChoice}.
 */
package io.paritas.erasure.kernel;
