/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Processor;
import java.util.UUID;

/**
 * What computes a model's predictions.
 *
 * @param kind such as {@code NVIDIA H100 80GB HBM3}, or a processor and an engine: equal kinds compute equal bits
 * @param gpu NVIDIA's identifier of this very GPU, such as {@code GPU-8b1f…}; empty for processors, among which the operating system
 *     moves threads, and for GPUs that an engine does not name
 */
@PublicApi
public record Hardware(String kind, String gpu) {
    /** The processors of this machine. */
    public static final Hardware PROCESSOR = new Hardware(Processor.KIND, "");

    /** This machine's processors with an engine: others may add in another order, and compute other bits. */
    static Hardware processor(String engine) {
        return new Hardware(PROCESSOR.kind + " with " + engine, "");
    }

    /** A GPU of this process, whichever it is: those of other processes may be others, and are another kind. */
    static final Hardware UNNAMED_GPU = new Hardware("a GPU of the process " + UUID.randomUUID(), "");
}
