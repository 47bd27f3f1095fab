/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.util.List;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.RMSprop;
import org.bytedeco.pytorch.RMSpropOptions;
import org.bytedeco.pytorch.TensorVector;

/** LibTorch's own. */
final class RmsProp extends Optimizer {
    private final RMSprop torch;

    RmsProp(List<Tensor> parameters, double learningRate, double weightDecay) {
        try (Scope scope = Scope.open()) {
            RMSpropOptions options = new RMSpropOptions(learningRate);
            options.weight_decay().put(weightDecay);
            TensorVector vector = new TensorVector();
            parameters.forEach(parameter -> vector.push_back(parameter.raw()));
            torch = new RMSprop(vector, options);
            torch.retainReference();
        }
    }

    @Override
    public void learningRate(double rate) {
        try (Scope scope = Scope.open()) {
            torch.param_groups().get(0).options().set_lr(rate);
        }
    }

    @Override
    void forgetGradients() {
        torch.zero_grad();
    }

    @Override
    void update() {
        torch.step();
    }

    @Override
    void save(OutputArchive archive) {
        torch.save(archive);
    }

    @Override
    void load(InputArchive archive) {
        torch.load(archive);
    }

    @Override
    public void close() {
        torch.close();
    }
}
