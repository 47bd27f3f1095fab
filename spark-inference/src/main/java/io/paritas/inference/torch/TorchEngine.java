/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * Runs TorchScript, and ONNX graphs of the operators that Paritas trains, with LibTorch. TorchScript does not store the shape of
 * its input: {@link TorchScripts} adds it to the file, for other files {@link ModelOptions#inputShape} gives it. Loading runs two
 * rows of zeros, so a model that cannot run fails then. Each model uses its own number of threads. Stateless and thread-safe.
 */
public final class TorchEngine implements ModelEngine {
    static final String NAME = "libtorch";

    private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<ModelFormat> formats() {
        return Set.of(ModelFormat.ONNX, ModelFormat.TORCHSCRIPT);
    }

    @Override
    public Optional<String> unavailable(Device device) {
        return LibTorch.unavailable(device);
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        unavailable(options.device()).ifPresent(refusal -> {
            throw new ModelException(NAME + " cannot run on the device " + options.device() + ": " + refusal);
        });
        return options.device() == Device.AUTO ? automatic(file, options) : TorchModel.load(file, options);
    }

    private Model automatic(ModelFile file, ModelOptions options) {
        Optional<String> refusal = unavailable(Device.CUDA);
        if (refusal.isEmpty()) {
            try {
                return TorchModel.load(file, options.withDevice(Device.CUDA));
            } catch (ModelException e) {
                refusal = Optional.of(e.getMessage());
            }
        }
        Model model = TorchModel.load(file, options.withDevice(Device.CPU));
        if (!ANNOUNCED.getAndSet(true)) {
            LoggerFactory.getLogger(TorchEngine.class).info("Paritas: libtorch runs on the CPU: {}", refusal.get());
        }
        return model;
    }
}
