/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelFile;
import java.util.List;

/**
 * A network in LibTorch: computes outputs with gradients. One thread at a time while it trains; any number while it only
 * predicts. {@link #close} frees its weights.
 */
public interface Network extends AutoCloseable {

    /** How operators that differ (normalisation, dropout) behave. */
    enum Mode {
        TRAINING,
        INFERENCE
    }

    /** Outputs (rows, …) of inputs (rows, …). A frozen network is in inference mode whatever is asked for. */
    Tensor forward(Tensor inputs, Mode mode);

    /** What gradients change; empty if the network is frozen. */
    List<Tensor> parameters();

    /** The network as it is now, to save or to load. */
    ModelFile toModelFile();

    /**
     * Takes the weights of a network with the same operators and shapes.
     *
     * @throws io.paritas.inference.ModelException if its weights have other names or shapes
     */
    void load(ModelFile other);

    @Override
    void close();
}
