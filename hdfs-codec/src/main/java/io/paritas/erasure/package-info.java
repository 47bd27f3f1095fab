/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure codes: no I/O, no Hadoop, no SIMD.
 *
 * <p>The terms, the same everywhere in Paritas: a <i>stripe</i> is <i>n</i> equally long <i>units</i>, <i>k</i>
 * data units followed by <i>r</i> parity units. A <i>symbol</i> is an element of GF(2<sup>w</sup>), here one byte. The
 * <i>generator</i> is the r×k matrix over that field whose product with the data units gives the parity units.
 * <i>Erasures</i> are the indices of missing units. A code is <i>byte-local</i> when byte i of every parity unit depends
 * only on byte i of every data unit. Any byte range of a stripe can then be encoded and reconstructed by itself, which HDFS
 * relies on. All codes of this package are byte-local, except {@link io.paritas.erasure.StripCode}.
 *
 * <p>Read it top down: {@link io.paritas.erasure.ErasureCode} is the entry point. It holds a generator
 * ({@link io.paritas.erasure.Generators}, a {@link io.paritas.erasure.Matrix} over a
 * {@link io.paritas.erasure.GaloisField}), turns each product it needs into a
 * {@link io.paritas.erasure.kernel.Program}, and runs it on a kernel.
 */
package io.paritas.erasure;
