/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Dispatcher;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.TensorType;
import org.bytedeco.pytorch.Type.TypePtr;
import org.bytedeco.pytorch.global.torch;

/**
 * Adam in one pass over memory. LibTorch's optimizer in C++ makes a dozen passes, and most steps of a network of large matrices
 * went into them; its operator {@code _fused_adam_}, which PyTorch has for Python, makes one.
 */
final class Adam extends Optimizer {
    private static final double BETA_1 = 0.9;
    private static final double BETA_2 = 0.999;
    private static final double EPSILON = 1e-8;

    private final List<State> states;
    private final Tensor steps;
    private final double weightDecay;
    private double learningRate;

    /** A parameter with the moving averages of its gradient and of the gradient's square. */
    private record State(Tensor parameter, Tensor average, Tensor square) {}

    Adam(List<Tensor> parameters, double learningRate, double weightDecay) {
        this.learningRate = learningRate;
        this.weightDecay = weightDecay;
        try (Scope scope = Scope.withoutGradients()) {
            states = parameters.stream()
                    .map(parameter -> new State(parameter, zeros(parameter), zeros(parameter)))
                    .toList();
            steps = zeros(parameters.get(0).sum());
        }
    }

    private static Tensor zeros(Tensor like) {
        return Scope.keep(new Tensor(torch.zeros_like(like.raw())));
    }

    @Override
    public void learningRate(double rate) {
        learningRate = rate;
    }

    @Override
    void forgetGradients() {
        states.forEach(state -> state.parameter().raw().mutable_grad().reset());
    }

    @Override
    void update() {
        try (Scope scope = Scope.withoutGradients()) {
            steps.raw().add_(new Scalar(1));
            List<State> moved = states.stream()
                    .filter(state -> state.parameter().raw().grad().defined())
                    .toList();
            IValueVector arguments = new IValueVector();
            Stream.of(
                            list(moved, state -> state.parameter().raw()),
                            list(moved, state -> state.parameter().raw().grad()),
                            list(moved, state -> state.average().raw()),
                            list(moved, state -> state.square().raw()),
                            list(List.of(), state -> null), // the largest squares, which AMSGrad alone has
                            list(moved, state -> steps.raw()),
                            new IValue(learningRate),
                            new IValue(BETA_1),
                            new IValue(BETA_2),
                            new IValue(weightDecay),
                            new IValue(EPSILON),
                            new IValue(false), // AMSGrad
                            new IValue(false), // maximize
                            new IValue(), // the gradients' scale
                            new IValue()) // whether a gradient is not finite
                    .forEach(arguments::push_back);
            Dispatcher.singleton().findSchemaOrThrow("aten::_fused_adam_", "").callBoxed(arguments);
        }
    }

    private static IValue list(List<State> states, Function<State, org.bytedeco.pytorch.Tensor> part) {
        GenericList list = new GenericList(new TypePtr(TensorType.get()));
        states.forEach(state -> list.push_back(new IValue(part.apply(state))));
        return new IValue(list);
    }

    @Override
    void save(OutputArchive archive) {
        archive.write("steps", steps.raw());
        for (int i = 0; i < states.size(); i++) {
            archive.write("average-" + i, states.get(i).average().raw());
            archive.write("square-" + i, states.get(i).square().raw());
        }
    }

    @Override
    void load(InputArchive archive) {
        archive.read("steps", steps.raw());
        for (int i = 0; i < states.size(); i++) {
            archive.read("average-" + i, states.get(i).average().raw());
            archive.read("square-" + i, states.get(i).square().raw());
        }
    }

    @Override
    public void close() {
        steps.close();
        for (State state : states) {
            state.average().close();
            state.square().close();
        }
    }
}
