/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.Arrays;

/** A refusal or failure of CUDA. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What a failure means for what comes after it. */
    private enum Kind {
        /** The call failed. */
        REFUSED,
        /** The GPU or the host has not enough memory; later calls may find more. */
        OUT_OF_MEMORY("OUT_OF_MEMORY"),
        /** CUDA's documentation: the process must be started again, until then every call fails. */
        LOST(
                "ASSERT",
                "CONTAINED",
                "CONTEXT_IS_DESTROYED",
                "DEINITIALIZED",
                "DEVICE_UNAVAILABLE",
                "ECC_UNCORRECTABLE",
                "HARDWARE_STACK_ERROR",
                "ILLEGAL_ADDRESS",
                "ILLEGAL_INSTRUCTION",
                "INVALID_ADDRESS_SPACE",
                "INVALID_PC",
                "LAUNCH_FAILED",
                "LAUNCH_TIMEOUT",
                "MISALIGNED_ADDRESS",
                "NVLINK_UNCORRECTABLE");

        private final String[] errors;

        Kind(String... errors) {
            this.errors = errors;
        }

        /** @param error CUDA's name, such as CUDA_ERROR_OUT_OF_MEMORY */
        static Kind of(String error) {
            return Arrays.stream(values())
                    .filter(kind -> Arrays.stream(kind.errors).anyMatch(name -> error.equals("CUDA_ERROR_" + name)))
                    .findFirst()
                    .orElse(REFUSED);
        }
    }

    private final Kind kind;

    private GpuException(String message, Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    GpuException(String message) {
        this(message, null, Kind.REFUSED);
    }

    /** For a {@link MemorySource}. */
    public GpuException(String message, Throwable cause) {
        this(message, cause, Kind.REFUSED);
    }

    /** The failure of a call, with CUDA's name of the error. */
    static GpuException of(String call, String error, Throwable cause) {
        return new GpuException(call + " failed: " + error, cause, Kind.of(error));
    }

    /** The same failure in a longer sentence. */
    GpuException explained(String message) {
        return new GpuException(message, this, kind);
    }

    /** For a use of a GPU that was lost before. */
    static GpuException lost(String message) {
        return new GpuException(message, null, Kind.LOST);
    }

    /** For a {@link MemorySource} that has not enough memory. */
    public static GpuException outOfMemory(String message, Throwable cause) {
        return new GpuException(message, cause, Kind.OUT_OF_MEMORY);
    }

    /** Whether the GPU, or the host, has not enough memory. Less may be there, and more later. */
    public boolean isOutOfMemory() {
        return kind == Kind.OUT_OF_MEMORY;
    }

    /** Whether this process cannot use the GPU any more: every later call fails with the same error. */
    public boolean isLost() {
        return kind == Kind.LOST;
    }
}
