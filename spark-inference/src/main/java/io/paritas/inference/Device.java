/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/** Where a model runs. {@link #CPU} and {@link #CUDA} are demands: where they cannot be met, loading fails and says why. */
public enum Device {
    /** A GPU where one works, the CPU otherwise; which of the two it became, {@link Model#device()} tells. */
    AUTO,
    CPU,
    CUDA
}
