/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;

/** Where a model runs. If {@link #CPU} or {@link #CUDA} is asked for and does not work, loading fails and says why. */
@PublicApi
public enum Device {
    /** A GPU if one works, otherwise the CPU; {@link Model#device()} tells which. */
    AUTO,
    /** The processor. */
    CPU,
    /** An NVIDIA GPU. */
    CUDA
}
