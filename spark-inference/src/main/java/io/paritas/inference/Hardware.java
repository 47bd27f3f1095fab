/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Processor;

/**
 * What computes a model's predictions.
 *
 * @param kind such as {@code NVIDIA H100 80GB HBM3}: equal kinds compute equal bits
 * @param gpu NVIDIA's identifier of this very GPU, such as {@code GPU-8b1f…}; empty for processors, among which the operating system
 *     moves threads, and for GPUs that an engine does not name
 */
@PublicApi
public record Hardware(String kind, String gpu) {
    /** The processors of this machine. */
    public static final Hardware PROCESSOR = new Hardware(Processor.MODEL, "");

    /** A GPU of this machine, whichever it is. */
    static final Hardware UNNAMED_GPU = new Hardware("a GPU beside " + Processor.MODEL, "");
}
