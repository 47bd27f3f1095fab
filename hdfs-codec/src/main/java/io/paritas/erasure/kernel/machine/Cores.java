/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** What cores a processor has: the same instructions pay differently. docs/performance/hdfs-codec.md has the measurements. */
enum Cores {
    /**
     * Intel's from Sapphire Rapids on. Two units for vectors of 64 bytes: one instruction folds two vectors, the first of which is
     * read again. The loop asks for what it needs next.
     */
    GOLDEN_COVE(true, true),
    /** Intel's before, as in Ice Lake. The loop asks for what it needs next, and each vector is folded while it is in a register. */
    INTEL(true, false),
    /**
     * As in an AMD EPYC with AVX-512: there are four units, and loads are what is scarce. So each vector is folded while it is in
     * a register, and the processor finds by itself what is needed next.
     */
    OTHER(false, false);

    /** Whether the loop asks for cache lines ahead. */
    final boolean askAhead;
    /** Whether the second vector of a turn is folded together with the first one. */
    final boolean foldPairs;

    Cores(boolean askAhead, boolean foldPairs) {
        this.askAhead = askAhead;
        this.foldPairs = foldPairs;
    }
}
