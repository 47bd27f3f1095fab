/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelFile;
import java.util.List;

/**
 * A network in LibTorch, which computes outputs with gradients. One thread at a time may train it; any number may predict.
 * {@link #close} frees its weights.
 */
public interface Network extends AutoCloseable {

    /** How normalisation and dropout behave. */
    enum Mode {
        TRAINING,
        INFERENCE
    }

    /** Computes outputs (rows, …) from inputs (rows, …). A frozen network ignores the mode: it is always in inference mode. */
    Tensor forward(Tensor inputs, Mode mode);

    /** The weights that gradients change; empty if the network is frozen. */
    List<Tensor> parameters();

    /** The network with its current weights, to save or to load. */
    ModelFile toModelFile();

    /**
     * Copies the weights of a network with the same operators and shapes.
     *
     * @throws io.paritas.inference.ModelException if its weights have other names or shapes
     */
    void load(ModelFile other);

    @Override
    void close();
}
