/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels beside cuDF: GPU memory from RMM and its pinned pool, cuDF's columns and buffers as units, and columns of tensors from rows
 * to kernels and back: {@link io.paritas.gpu.cudf.TensorWriter}, {@link io.paritas.gpu.cudf.DeviceTensors},
 * {@link io.paritas.gpu.cudf.TensorReader}.
 *
 * <p>It is a jar of its own (classifier {@code cudf}), built with {@code -P cudf}, because cuDF's jar has 337 MB and is on the class
 * path of Spark's RAPIDS plugin anyway. RMM is never called where there is no GPU: some of
 * its functions end the JVM there. Columns on the host need none.
 */
package io.paritas.gpu.cudf;
