/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels: machine code for products of matrices with units.
 *
 * <p>The steps: the rows of a matrix become a {@link io.paritas.erasure.kernel.Program} (xor and "times x", by
 * Horner's rule), a {@link io.paritas.erasure.kernel.KernelProvider} optimises it and compiles it to a
 * {@link io.paritas.erasure.kernel.Kernel}, and the kernel runs over {@link io.paritas.erasure.kernel.Regions}. Callers
 * validate, kernels assume. {@code docs/kernels.md} follows one program through all steps.
 *
 * <p>Instead of the last two steps, {@link io.paritas.erasure.kernel.machine} writes machine code for the matrix.
 *
 * <p>{@link io.paritas.erasure.kernel.KernelChoice} chooses the provider once for each JVM.
 *
 * <p>Source of common-part elimination: C. Paar, "Optimized Arithmetic for Reed-Solomon Encoders", Proceedings of the 1997
 * IEEE International Symposium on Information Theory (ISIT).
 */
package io.paritas.erasure.kernel;
