/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.gpu.nn.Precision;
import io.paritas.inference.protect.PlanningDevice;

/** This machine's GPU, on which layers are measured. The only class of the programs that knows the GPU module. */
final class GpuPlanning {
    private GpuPlanning() {}

    /**
     * Measures layers of float16.
     *
     * @throws IllegalStateException if there is no GPU
     */
    static PlanningDevice half() {
        return new io.paritas.gpu.network.GpuPlanning(Precision.HALF);
    }

    /**
     * Measures layers of float32.
     *
     * @throws IllegalStateException if there is no GPU
     */
    static PlanningDevice single() {
        return new io.paritas.gpu.network.GpuPlanning(Precision.SINGLE);
    }
}
