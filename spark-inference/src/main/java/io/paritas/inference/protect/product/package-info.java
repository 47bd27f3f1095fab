/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrix products on the CPU that find their own wrong values (thesis, chapter 4): {@link
 * io.paritas.inference.protect.product.Product} computes, a {@link io.paritas.inference.protect.product.Scheme} says how it is
 * checked, {@code ErrorBound} how far rounding alone can go. {@code Tiles} is the arithmetic, in vectors or plain Java.
 */
package io.paritas.inference.protect.product;
