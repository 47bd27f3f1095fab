/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;

/** Networks in LibTorch from model files of any format. */
public final class TrainableNetworks {

    private TrainableNetworks() {}

    /**
     * The architecture of a model with fresh weights, to train.
     *
     * @throws io.paritas.inference.ModelException if the model has operators that cannot be trained or no weights; or, in
     *     TorchScript, weights with unknown roles
     */
    public static Network fresh(ModelFile file, Initialisation initialisation, long seed, Device device) {
        if (file.format() == ModelFormat.TORCHSCRIPT) {
            return ScriptNetwork.fresh(file, initialisation, seed, Place.of(device));
        }
        return GraphNetwork.trainable(initialisation.apply(Graph.of(file), seed), device);
    }

    /**
     * A model to train further, from its weights.
     *
     * @throws io.paritas.inference.ModelException if the model has operators that cannot be trained; or, in TorchScript, no weights
     */
    public static Network trainable(ModelFile file, Device device) {
        if (file.format() == ModelFormat.TORCHSCRIPT) {
            return ScriptNetwork.trainable(file, Place.of(device));
        }
        return GraphNetwork.trainable(Graph.of(file), device);
    }

    /** A model with constant weights, through which gradients flow. */
    public static Network frozen(ModelFile file, Device device) {
        if (file.format() == ModelFormat.TORCHSCRIPT) {
            return ScriptNetwork.frozen(file, Place.of(device));
        }
        return GraphNetwork.frozen(Graph.of(file), device);
    }

    /**
     * Runs a network on rows of zeros, and closes it: some that LibTorch cannot run are refused only then.
     *
     * @param input of one row
     * @throws io.paritas.inference.ModelException if it cannot be run
     */
    public static void tryOut(Network network, TensorSpec input, Device device) {
        TorchModel.tried(network, input, "output", ModelOptions.DEFAULT.withDevice(device))
                .close();
    }
}
