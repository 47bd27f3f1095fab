/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.TensorVector;

/** Changes parameters against their gradients. One thread; {@link #close} before the network whose parameters it has. */
public final class Optimizer implements AutoCloseable {
    private final org.bytedeco.pytorch.Optimizer torch;

    private Optimizer(org.bytedeco.pytorch.Optimizer torch) {
        this.torch = torch;
    }

    /** Adam with β = (0.9, 0.999), ε = 1e-8, and L2 regularisation by weight decay. */
    public static Optimizer adam(List<Tensor> parameters, double learningRate, double weightDecay) {
        AdamOptions options = new AdamOptions(learningRate);
        options.weight_decay().put(weightDecay);
        return new Optimizer(new Adam(vector(parameters), options));
    }

    /** RMSprop with α = 0.99, ε = 1e-8. */
    public static Optimizer rmsProp(List<Tensor> parameters, double learningRate, double weightDecay) {
        RMSpropOptions options = new RMSpropOptions(learningRate);
        options.weight_decay().put(weightDecay);
        return new Optimizer(new RMSprop(vector(parameters), options));
    }

    /** One step against the gradients of a loss. */
    public void step(Tensor loss) {
        torch.zero_grad();
        loss.raw().backward();
        torch.step();
    }

    public void learningRate(double rate) {
        torch.param_groups().get(0).options().set_lr(rate);
    }

    /** What it remembers of earlier steps, for a checkpoint. */
    public byte[] state() {
        return throughFile(file -> {
            try (OutputArchive archive = new OutputArchive()) {
                torch.save(archive);
                archive.save_to(file.toString());
                return Files.readAllBytes(file);
            }
        });
    }

    /** Goes on from a state that an optimizer of the same parameters had. */
    public void restore(byte[] state) {
        throughFile(file -> {
            Files.write(file, state);
            try (InputArchive archive = new InputArchive()) {
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

    private interface WithFile {
        byte[] run(Path file) throws IOException;
    }

    /** LibTorch reads and writes files only; temporary files are readable by their owner alone. */
    private static byte[] throughFile(WithFile work) {
        try {
            Path file = Files.createTempFile("paritas-optimizer", ".pt");
            try {
                return work.run(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the optimizer's state needs a temporary file: " + e.getMessage(), e);
        }
    }

    private static TensorVector vector(List<Tensor> parameters) {
        TensorVector vector = new TensorVector();
        parameters.forEach(parameter -> vector.push_back(parameter.raw()));
        return vector;
    }
}
