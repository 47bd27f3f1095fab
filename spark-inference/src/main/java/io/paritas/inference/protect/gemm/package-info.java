/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrix products on the CPU that find their own wrong values (CMU-CS-23-110, "the thesis", chapter 4): {@link
 * io.paritas.inference.protect.gemm.Gemm} computes, a {@link io.paritas.inference.protect.gemm.Scheme} says how it is
 * checked, {@code ErrorBound} how far rounding alone can go. {@code Tiles} is the arithmetic, in vectors or plain Java.
 */
package io.paritas.inference.protect.gemm;
