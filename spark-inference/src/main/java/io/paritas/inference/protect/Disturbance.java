/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.product.Probe;

/** Sees, and may change, what the products of a model compute: for studies of faults, and tests. Thread-safe. */
@FunctionalInterface
public interface Disturbance {
    /** Leaves everything as it is. */
    Disturbance NONE = layer -> Probe.NONE;

    /**
     * What happens to a layer; asked once each time that it is computed.
     *
     * @param layer number of the convolution or linear layer in the order of the network, from 0 on
     */
    Probe of(int layer);
}
