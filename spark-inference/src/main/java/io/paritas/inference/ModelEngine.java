/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.util.Optional;
import java.util.Set;

/**
 * A library that runs models. Implementations are found by {@link java.util.ServiceLoader}, are stateless and
 * thread-safe, and touch native code only when asked for {@link #unavailable} or {@link #load}.
 */
public interface ModelEngine {

    /** For {@link ModelOptions#engine()} and messages: {@code onnxruntime}, {@code libtorch}. */
    String name();

    /** What it reads. */
    Set<ModelFormat> formats();

    /**
     * Why this engine cannot run on a device here, in one sentence that says what is missing and what to do; empty if it
     * can. For {@link Device#AUTO}: why it cannot run at all.
     */
    Optional<String> unavailable(Device device);

    /**
     * Loads a model.
     *
     * @throws ModelException if the file is damaged (the message has the engine's name and the file's size, the cause is the
     *     engine's), has another number or type of inputs and outputs than one float32 each, or asks for what the engine or
     *     the device cannot do
     */
    Model load(ModelFile file, ModelOptions options);
}
