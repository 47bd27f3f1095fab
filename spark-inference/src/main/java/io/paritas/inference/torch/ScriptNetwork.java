/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Initialisation;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;

/**
 * A TorchScript program with its weights. It is in training mode only during the forward pass of a training step, and never if
 * frozen. A program traced in inference mode keeps its normalisations in inference form.
 */
final class ScriptNetwork implements Network {
    private final ScriptFile file;
    private final Map<String, Tensor> parameters = new LinkedHashMap<>();
    private final Map<String, Tensor> buffers = new LinkedHashMap<>();
    private final boolean trainable;

    private ScriptNetwork(ScriptFile file, boolean trainable) {
        this.file = file;
        this.trainable = trainable;
        file.module().retainReference();
        try (Scope scope = Scope.open()) {
            parameters(file.module()).forEach((name, tensor) -> parameters.put(name, Scope.keep(tensor)));
            buffers(file.module()).forEach((name, tensor) -> buffers.put(name, Scope.keep(tensor)));
            parameters.values().forEach(parameter -> parameter.raw().requires_grad_(trainable));
        }
    }

    /** The program with fresh weights, to train. */
    static ScriptNetwork fresh(ModelFile file, Initialisation initialisation, long seed, Place place) {
        try (Scope scope = Scope.withoutGradients()) {
            ScriptNetwork network = trainable(file, place);
            try {
                FreshWeights.draw(network.parameters, network.buffers, initialisation, seed);
            } catch (RuntimeException e) {
                network.close();
                throw e;
            }
            return network;
        }
    }

    /** The program with its weights, to train on. */
    static ScriptNetwork trainable(ModelFile file, Place place) {
        try (Scope scope = Scope.open()) {
            ScriptNetwork network = new ScriptNetwork(ScriptFile.read(file, place), true);
            if (network.parameters.isEmpty()) {
                network.close();
                throw new ModelException(
                        "a network must have parameters to be trained, this TorchScript model has none:"
                                + " save it with torch.jit.script or torch.jit.trace, without torch.jit.freeze");
            }
            return network;
        }
    }

    /** The program with constant weights. */
    static ScriptNetwork frozen(ModelFile file, Place place) {
        try (Scope scope = Scope.open()) {
            return new ScriptNetwork(ScriptFile.read(file, place), false);
        }
    }

    /** The shape of one row; empty if the file does not have it. */
    List<Integer> inputShape() {
        return file.inputShape();
    }

    /** Runs the program on a copy of the inputs, because it may change them in place. */
    @Override
    public Tensor forward(Tensor inputs, Mode mode) {
        boolean training = trainable && mode == Mode.TRAINING;
        if (training) {
            file.module().train();
        }
        try {
            IValueVector arguments = new IValueVector(new IValue(inputs.raw().clone()));
            IValue output = LibTorch.withoutDenormals(() -> file.module().forward(arguments));
            if (!output.isTensor()) {
                throw new ModelException("a TorchScript model must return one tensor, this one returns "
                        + output.tagKind().getString() + ": wrap it in a module that returns the tensor");
            }
            return new Tensor(output.toTensor());
        } finally {
            if (training) {
                file.module().eval();
            }
        }
    }

    @Override
    public List<Tensor> parameters() {
        return trainable ? List.copyOf(parameters.values()) : List.of();
    }

    @Override
    public ModelFile toModelFile() {
        try (Scope scope = Scope.withoutGradients()) {
            parameters.forEach((name, tensor) -> tensor.requireFinite(name));
            buffers.forEach((name, tensor) -> tensor.requireFinite(name));
            return file.toModelFile();
        }
    }

    @Override
    public void load(ModelFile other) {
        try (Scope scope = Scope.withoutGradients()) {
            JitModule module = ScriptFile.read(other, Place.of(Device.CPU)).module();
            Map<String, Tensor> taken = parameters(module);
            taken.putAll(buffers(module));
            Map<String, Tensor> own = new LinkedHashMap<>(parameters);
            own.putAll(buffers);
            if (!shapes(own).equals(shapes(taken))) {
                throw new ModelException("weights can be taken only from the same network: this one has " + shapes(own)
                        + ", the other " + shapes(taken));
            }
            taken.forEach((name, tensor) -> own.get(name).raw().copy_(tensor.raw()));
        }
    }

    private static Map<String, String> shapes(Map<String, Tensor> tensors) {
        Map<String, String> shapes = new TreeMap<>();
        tensors.forEach((name, tensor) -> shapes.put(name, Arrays.toString(tensor.shape())));
        return shapes;
    }

    @Override
    public void close() {
        parameters.values().forEach(Tensor::close);
        buffers.values().forEach(Tensor::close);
        file.module().close();
    }

    /* The equals of the iterators compares addresses, not positions. */

    static Map<String, Tensor> parameters(JitModule module) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        var list = module.named_parameters();
        for (var at = list.begin(); at.notEquals(list.end()); at.increment()) {
            found.put(at.access().name().getString(), tensor(at.access().value()));
        }
        return found;
    }

    static Map<String, Tensor> buffers(JitModule module) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        var list = module.named_buffers();
        for (var at = list.begin(); at.notEquals(list.end()); at.increment()) {
            found.put(at.access().name().getString(), tensor(at.access().value()));
        }
        return found;
    }

    /** Another handle of the same tensor, because the list's element ends with the list. */
    private static Tensor tensor(org.bytedeco.pytorch.Tensor element) {
        return new Tensor(new org.bytedeco.pytorch.Tensor(element));
    }
}
