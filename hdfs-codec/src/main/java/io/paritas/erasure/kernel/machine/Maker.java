/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** Whose processor it is: the same instructions pay differently. docs/performance/hdfs-codec.md has the measurements. */
enum Maker {
    /**
     * Two units for vectors of 64 bytes: one instruction folds two vectors, the first of which is read again. The loop asks for
     * what it needs next.
     */
    INTEL,
    /**
     * As in an AMD EPYC with AVX-512: there are four units, and loads are what is scarce. So each vector is folded while it is in
     * a register, and the processor finds by itself what is needed next.
     */
    OTHER
}
