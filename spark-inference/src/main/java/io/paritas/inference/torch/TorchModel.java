/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.torch.Network.Mode;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** A frozen network that predicts. On the CPU, it reads the caller's buffer in place. */
final class TorchModel extends CheckedModel {
    /** Two, so that loading fails for a model that takes one row only. */
    private static final int TRIED_ROWS = 2;

    private final Network network;
    private final Place place;
    private final int threads;

    private TorchModel(Network network, TensorSpec input, TensorSpec output, Place place, int threads) {
        super(TorchEngine.NAME, input, output, place.device());
        this.network = network;
        this.place = place;
        this.threads = threads;
    }

    /**
     * Loads and tries a model on the CPU or on CUDA.
     *
     * @throws ModelException if it cannot be loaded or run, or does not have one float32 input and one float32 output
     */
    static TorchModel load(ModelFile file, ModelOptions options) {
        return file.format() == ModelFormat.ONNX ? graph(file, options) : script(file, options);
    }

    private static TorchModel graph(ModelFile file, ModelOptions options) {
        Graph graph;
        Network network;
        try {
            graph = Graph.of(file);
            network = GraphNetwork.frozen(graph, Place.of(options));
        } catch (RuntimeException e) {
            throw new ModelException(
                    "libtorch cannot load the ONNX model of " + file.size() + " bytes with the hash " + file.sha256()
                            + " on the device " + Place.of(options) + ": " + LibTorch.reason(e),
                    e);
        }
        return tried(network, graph.input(), graph.outputName(), options);
    }

    private static TorchModel script(ModelFile file, ModelOptions options) {
        ScriptNetwork network = ScriptNetwork.frozen(file, Place.of(options));
        List<Integer> shape = network.inputShape().isEmpty() ? options.inputShape() : network.inputShape();
        if (shape.isEmpty()) {
            network.close();
            throw new ModelException(
                    "a TorchScript model needs the shape of its input, this file does not have it: give"
                            + " ModelOptions.withInputShape the sizes of one row, without the batch, as in List.of(3, 32,"
                            + " 32)");
        }
        return tried(network, new TensorSpec("input", shape), "output", options);
    }

    /** Finds the output's shape by running zeros. The network is closed with the model, or if it cannot be run. */
    static TorchModel tried(Network network, TensorSpec input, String outputName, ModelOptions options) {
        LibTorch.threads(options.threads());
        Place place = Place.of(options);
        try (Scope scope = Scope.withoutGradients()) {
            FloatBuffer zeros = Model.direct(Math.multiplyExact(TRIED_ROWS, input.size()));
            Tensor output = forward(network, TRIED_ROWS, input, zeros, place);
            long[] shape = output.shape();
            if (!output.isFloat() || shape.length == 0 || shape[0] != TRIED_ROWS) {
                throw new ModelException(
                        "a model must give one row of float32 values for each input row, this one makes " + output
                                + " of " + TRIED_ROWS + " rows of " + input);
            }
            List<Integer> sizes =
                    Arrays.stream(shape).skip(1).mapToObj(Math::toIntExact).toList();
            return new TorchModel(network, input, new TensorSpec(outputName, sizes), place, options.threads());
        } catch (RuntimeException | Error e) {
            network.close();
            throw e;
        }
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        LibTorch.threads(threads);
        try (Scope scope = Scope.withoutGradients()) {
            Tensor output = forward(network, rows, input(), inputs, place);
            if (output.size(0) != rows || output.count() != outputs.limit()) {
                throw new ModelException("a model must give one row of " + output()
                        + " for each input row, this one made " + output + " of " + rows);
            }
            output.values(outputs);
        }
    }

    private static Tensor forward(Network network, int rows, TensorSpec input, FloatBuffer inputs, Place place) {
        long[] shape = LongStream.concat(
                        LongStream.of(rows), input.shape().stream().mapToLong(Integer::longValue))
                .toArray();
        try {
            return network.forward(Tensor.over(place, inputs, shape), Mode.INFERENCE);
        } catch (ModelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new ModelException(
                    "libtorch cannot predict " + rows + " rows of " + input + " on the device " + place + ": "
                            + LibTorch.reason(e),
                    e);
        }
    }

    @Override
    protected void free() {
        network.close();
    }
}
