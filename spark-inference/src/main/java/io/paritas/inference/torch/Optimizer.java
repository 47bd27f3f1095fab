/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.ModelException;
import java.nio.file.Files;
import java.util.List;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;

/** Updates parameters by their gradients. For one thread. Must be closed before the network whose parameters it has. */
public abstract sealed class Optimizer implements AutoCloseable permits Adam, RmsProp {

    /** Adam with β = (0.9, 0.999), ε = 1e-8, and L2 regularisation by weight decay. */
    public static Optimizer adam(List<Tensor> parameters, double learningRate, double weightDecay) {
        return new Adam(parameters, learningRate, weightDecay);
    }

    /** RMSprop with α = 0.99, ε = 1e-8. */
    public static Optimizer rmsProp(List<Tensor> parameters, double learningRate, double weightDecay) {
        return new RmsProp(parameters, learningRate, weightDecay);
    }

    /**
     * Computes the gradients of a loss, makes a step against them, and forgets them. They add to gradients that the parameters have
     * already, of parts of the loss.
     */
    public final void step(Tensor loss) {
        try (Scope scope = Scope.open()) {
            LibTorch.withoutDenormals(() -> {
                loss.raw().backward();
                update();
                return loss;
            });
            forgetGradients();
        }
    }

    /** Sets the learning rate of the steps to come. */
    public abstract void learningRate(double rate);

    abstract void forgetGradients();

    /** Makes a step against the gradients that the parameters have now. */
    abstract void update();

    abstract void save(OutputArchive archive);

    abstract void load(InputArchive archive);

    @Override
    public abstract void close();

    /** The state from earlier steps, for a checkpoint. */
    public final byte[] state() {
        try (Scope scope = Scope.open()) {
            OutputArchive archive = new OutputArchive();
            save(archive);
            return ArchiveBytes.of(archive);
        }
    }

    /**
     * Restores the state of an optimizer of the same kind for the same parameters.
     *
     * @throws ModelException if it is the state of another kind
     */
    public final void restore(byte[] state) {
        TemporaryFiles.named("optimizer.pt", file -> {
            Files.write(file, state);
            try (Scope scope = Scope.open()) {
                InputArchive archive = new InputArchive();
                archive.load_from(file.toString());
                load(archive);
            } catch (RuntimeException e) {
                throw new ModelException(
                        "an optimizer goes on from a state of its own kind, this one is not, or an older version wrote it: "
                                + LibTorch.reason(e),
                        e);
            }
            return state;
        });
    }
}
