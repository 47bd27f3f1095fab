/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Probe;

/** Gives each layer of a model a {@link Probe}: for studies of faults, and tests. Thread-safe. */
@FunctionalInterface
public interface LayerProbes {
    /** No probes. */
    LayerProbes NONE = layer -> Probe.NONE;

    /**
     * The probe of a layer; called each time before the layer is computed.
     *
     * @param layer number of the convolution or linear layer in the order of the network, from 0
     */
    Probe of(int layer);
}
