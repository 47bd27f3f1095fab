/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.Optional;
import java.util.Set;

/**
 * A library that runs models, found by {@link java.util.ServiceLoader}. Stateless and thread-safe. Only {@link #unavailable} and
 * {@link #load} touch native code.
 */
@PublicApi
public interface ModelEngine {

    /** The name in {@link ModelOptions#engine()} and messages, such as {@code onnxruntime}. */
    String name();

    /** The formats that it reads. */
    Set<ModelFormat> formats();

    /**
     * The reason why this engine cannot run on a device here; empty if it can. One sentence, with what is missing and what to do.
     * For {@link Device#AUTO}, the reason why it cannot run at all.
     */
    Optional<String> unavailable(Device device);

    /** Whether it runs on GPUs only: where one works, {@code auto} asks it first. */
    default boolean needsGpu() {
        return false;
    }

    /** Whether it can check what it computes, as {@link ModelOptions#protection()} asks. */
    default boolean checks() {
        return false;
    }

    /**
     * Loads a model.
     *
     * @throws ModelException if the file is damaged (the message has the engine's name and the file's size, the cause is the
     *     engine's), does not have one float32 input and one float32 output, or needs something that the engine or the device
     *     does not have
     */
    Model load(ModelFile file, ModelOptions options);
}
