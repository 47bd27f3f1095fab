/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.graph.Weight.Role;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws fresh weights for a TorchScript program. PyTorch's names and the shapes tell the roles: a {@code weight} of three or more
 * dimensions is a kernel (outputs, inputs / groups, …), of two a matrix (outputs, inputs), of one the scale of a normalisation.
 * A {@code bias} belongs to the weight of its module; without one it starts at 0.
 */
final class FreshWeights {
    private final Map<String, Tensor> parameters;
    private final Map<String, Tensor> buffers;

    private FreshWeights(Map<String, Tensor> parameters, Map<String, Tensor> buffers) {
        this.parameters = parameters;
        this.buffers = buffers;
    }

    /**
     * Overwrites the parameters, in their order, and the running statistics. Other buffers stay.
     *
     * @throws ModelException if a parameter has an unknown role
     */
    static void draw(
            Map<String, Tensor> parameters, Map<String, Tensor> buffers, Initialisation initialisation, long seed) {
        FreshWeights fresh = new FreshWeights(parameters, buffers);
        SplittableRandom random = new SplittableRandom(seed);
        parameters.forEach((name, tensor) -> {
            int[] shape = shape(tensor);
            Weight weight = new Weight(name, fresh.role(name, shape), shape, tensor.values());
            tensor.set(initialisation.draw(weight, fresh.fanIn(name), random), tensor.shape());
        });
        buffers.forEach(FreshWeights::reset);
    }

    private Role role(String name, int[] shape) {
        if (name.endsWith("weight") && shape.length > 2) {
            return Role.KERNEL;
        }
        if (name.endsWith("weight") && shape.length == 2) {
            return Role.MATRIX;
        }
        if (shape.length == 1 && name.endsWith("weight") && (has(name, "running_mean") || has(name, "bias"))) {
            return Role.SCALE;
        }
        if (shape.length == 1 && name.endsWith("bias")) {
            return fanIn(name) > 0 ? Role.BIAS : Role.SHIFT;
        }
        throw new ModelException(
                "a parameter must be the weight or bias of a convolution, linear layer or normalisation, '" + name
                        + "' of shape " + Arrays.toString(shape) + " is not");
    }

    /** Number of inputs that are summed for one output, by the layer's weight; 0 if there is none. */
    private double fanIn(String name) {
        Tensor weight = parameters.get(beside(name, "weight"));
        return weight == null || weight.shape().length < 2
                ? 0
                : Arrays.stream(weight.shape()).skip(1).reduce(1, (a, b) -> a * b);
    }

    private boolean has(String name, String other) {
        return parameters.containsKey(beside(name, other)) || buffers.containsKey(beside(name, other));
    }

    /** The name of a tensor of the same module. */
    private static String beside(String name, String other) {
        return name.substring(0, name.lastIndexOf('.') + 1) + other;
    }

    private static void reset(String name, Tensor buffer) {
        if (name.endsWith("running_mean") || name.endsWith("num_batches_tracked")) {
            buffer.raw().zero_();
        } else if (name.endsWith("running_var")) {
            buffer.raw().fill_(new org.bytedeco.pytorch.Scalar(1f));
        }
    }

    private static int[] shape(Tensor tensor) {
        return Arrays.stream(tensor.shape()).mapToInt(Math::toIntExact).toArray();
    }
}
