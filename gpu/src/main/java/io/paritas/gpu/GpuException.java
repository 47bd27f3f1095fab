/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.util.Map;

/** A refusal or failure of CUDA. What the GPU lacks or has lost is no bug: programs say it in a sentence. */
public final class GpuException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /** What a failure means for what comes after it. */
    private enum Kind {
        /** The call failed. */
        REFUSED,
        /** The GPU or the host has not enough memory; later calls may find more. */
        OUT_OF_MEMORY,
        /** The process must be started again, until then every call fails. */
        LOST
    }

    private static final int OUT_OF_MEMORY = 2;

    /** The errors after which a GPU is lost, by CUDA's documentation (13.0). JCuda has no name for the newest ones. */
    private static final Map<Integer, String> LOST = Map.ofEntries(
            Map.entry(4, "CUDA_ERROR_DEINITIALIZED"),
            Map.entry(214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
            Map.entry(220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"),
            Map.entry(226, "CUDA_ERROR_CONTAINED"),
            Map.entry(700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
            Map.entry(702, "CUDA_ERROR_LAUNCH_TIMEOUT"),
            Map.entry(709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
            Map.entry(710, "CUDA_ERROR_ASSERT"),
            Map.entry(714, "CUDA_ERROR_HARDWARE_STACK_ERROR"),
            Map.entry(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"),
            Map.entry(716, "CUDA_ERROR_MISALIGNED_ADDRESS"),
            Map.entry(717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
            Map.entry(718, "CUDA_ERROR_INVALID_PC"),
            Map.entry(719, "CUDA_ERROR_LAUNCH_FAILED"),
            Map.entry(721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"),
            Map.entry(810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"),
            Map.entry(911, "CUDA_ERROR_EXTERNAL_DEVICE"));

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

    /**
     * The failure of a call. An error that the next call has, too, stays, whatever it is: that of a GPU that fell off the bus is unknown (999).
     *
     * @param error its number, as {@code CUresult} has them
     * @param name JCuda's name for it
     * @param next the result of a later call that any GPU answers
     */
    static GpuException of(String call, int error, String name, int next) {
        boolean isLost = LOST.containsKey(error) || error == next;
        Kind kind = error == OUT_OF_MEMORY ? Kind.OUT_OF_MEMORY : isLost ? Kind.LOST : Kind.REFUSED;
        return new GpuException(call + " failed: " + LOST.getOrDefault(error, name), null, kind);
    }

    /** The same failure in a longer sentence. */
    public GpuException explained(String message) {
        return new GpuException(message, this, kind);
    }

    /** For a use of a GPU that was lost before. */
    static GpuException lost(String message) {
        return new GpuException(message, null, Kind.LOST);
    }

    /** For a {@link MemorySource} that finds the GPU lost. */
    public static GpuException lost(String message, Throwable cause) {
        return new GpuException(message, cause, Kind.LOST);
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
