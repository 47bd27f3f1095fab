/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * A refusal or failure of CUDA. After a kernel has failed, the process cannot use that GPU any more: every later call fails with
 * the same error.
 */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GpuException(String message) {
        super(message);
    }

    /** For a {@link MemorySource}. */
    public GpuException(String message, Throwable cause) {
        super(message, cause);
    }
}
