/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Scheme;

/** A device other than the CPU for which plans are measured. It has matrix products and convolutions with schemes. */
public interface PlanningDevice {
    /** Measures the device's speed. The name has the device and the precision of its values. */
    DeviceRates rates();

    /** Bytes of a value, for arithmetic intensities. */
    int valueBytes();

    /**
     * Prepares a layer.
     *
     * @throws io.paritas.inference.ModelException if the device has no such layer; the message names the layer
     */
    TimedLayer open(LayerGeometry layer);

    /** A layer to be timed, with the schemes none, global, thread and two-sided. */
    interface TimedLayer extends AutoCloseable {
        /** Seconds that a number of runs take, one after another. */
        double seconds(Scheme scheme, int runs);

        @Override
        default void close() {}
    }
}
