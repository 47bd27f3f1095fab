/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure kernels beside cuDF: GPU memory from RMM and its pinned pool, and cuDF's columns and buffers as units.
 *
 * <p>A jar of its own (classifier {@code cudf}), built with {@code -P cudf}, because cuDF's jar has 337 MB and all that is
 * needed of it is on the class path of Spark's RAPIDS plugin anyway. It is never called where there is no GPU: some of
 * RMM's functions end the JVM there.
 */
package io.paritas.gpu.cudf;
