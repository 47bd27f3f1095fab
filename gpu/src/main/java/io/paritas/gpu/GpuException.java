/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

/**
 * CUDA refused or failed. After a kernel that failed, a process can use that GPU no more, and every later call fails with
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
