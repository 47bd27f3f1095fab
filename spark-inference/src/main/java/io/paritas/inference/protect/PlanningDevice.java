/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.product.Scheme;

/** Where a plan is measured, if not on this machine's CPU: a device that has products and convolutions with schemes of its own. */
public interface PlanningDevice {
    /** Measures how fast it is; its name says what it is and of which precision its values are. */
    DeviceRates rates();

    /** Bytes of a value, in which intensities are counted. */
    int valueBytes();

    /**
     * Prepares a layer of this shape.
     *
     * @throws io.paritas.inference.ModelException if the device has no such layer; the message names it
     */
    TimedLayer open(LayerGeometry layer);

    /** A layer that can be timed, with the schemes none, global, thread and two-sided. */
    interface TimedLayer extends AutoCloseable {
        /** How many seconds a number of runs take, one behind another. */
        double seconds(Scheme scheme, int runs);

        @Override
        default void close() {}
    }
}
