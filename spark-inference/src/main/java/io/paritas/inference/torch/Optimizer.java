/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.nio.file.Files;
import java.util.List;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.TensorVector;

/** Updates parameters by their gradients. For one thread. Must be closed before the network whose parameters it has. */
public final class Optimizer implements AutoCloseable {
    private final org.bytedeco.pytorch.Optimizer torch;

    private Optimizer(org.bytedeco.pytorch.Optimizer torch) {
        this.torch = torch;
        torch.retainReference();
    }

    /** Adam with β = (0.9, 0.999), ε = 1e-8, and L2 regularisation by weight decay. */
    public static Optimizer adam(List<Tensor> parameters, double learningRate, double weightDecay) {
        try (Scope scope = Scope.open()) {
            AdamOptions options = new AdamOptions(learningRate);
            options.weight_decay().put(weightDecay);
            return new Optimizer(new Adam(vector(parameters), options));
        }
    }

    /** RMSprop with α = 0.99, ε = 1e-8. */
    public static Optimizer rmsProp(List<Tensor> parameters, double learningRate, double weightDecay) {
        try (Scope scope = Scope.open()) {
            RMSpropOptions options = new RMSpropOptions(learningRate);
            options.weight_decay().put(weightDecay);
            return new Optimizer(new RMSprop(vector(parameters), options));
        }
    }

    /** Computes the gradients of a loss and makes a step against them. */
    public void step(Tensor loss) {
        try (Scope scope = Scope.open()) {
            torch.zero_grad();
            LibTorch.withoutDenormals(() -> {
                loss.raw().backward();
                return torch.step();
            });
        }
    }

    public void learningRate(double rate) {
        try (Scope scope = Scope.open()) {
            torch.param_groups().get(0).options().set_lr(rate);
        }
    }

    /** The state from earlier steps, for a checkpoint. */
    public byte[] state() {
        return TemporaryFiles.named("optimizer.pt", file -> {
            try (Scope scope = Scope.open()) {
                OutputArchive archive = new OutputArchive();
                torch.save(archive);
                archive.save_to(file.toString());
                return Files.readAllBytes(file);
            }
        });
    }

    /** Restores the state of an optimizer of the same parameters. */
    public void restore(byte[] state) {
        TemporaryFiles.named("optimizer.pt", file -> {
            Files.write(file, state);
            try (Scope scope = Scope.open()) {
                InputArchive archive = new InputArchive();
                archive.load_from(file.toString());
                torch.load(archive);
            }
            return state;
        });
    }

    @Override
    public void close() {
        torch.close();
    }

    private static TensorVector vector(List<Tensor> parameters) {
        TensorVector vector = new TensorVector();
        parameters.forEach(parameter -> vector.push_back(parameter.raw()));
        return vector;
    }
}
