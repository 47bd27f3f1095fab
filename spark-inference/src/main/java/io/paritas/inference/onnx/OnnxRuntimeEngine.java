/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

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
 * Runs ONNX models with Microsoft's ONNX Runtime. Loading runs a batch of zeros, so a model that cannot run fails then. Stateless
 * and thread-safe.
 */
public final class OnnxRuntimeEngine implements ModelEngine {
    static final String NAME = "onnxruntime";

    /* This class uses no type of ONNX Runtime, so that it can say that ONNX Runtime is missing. */

    private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<ModelFormat> formats() {
        return Set.of(ModelFormat.ONNX);
    }

    @Override
    public Optional<String> unavailable(Device device) {
        return device == Device.CUDA ? Library.cudaUnavailable() : Library.unavailable();
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        if (file.format() != ModelFormat.ONNX) {
            throw new ModelException("onnxruntime reads ONNX, the model is " + file.format()
                    + ": export it with torch.onnx.export, or load it with another engine");
        }
        Library.requireLife();
        unavailable(options.device()).ifPresent(refusal -> {
            throw new ModelException("onnxruntime cannot run on the device " + options.device() + ": " + refusal);
        });
        return options.device() == Device.AUTO ? automatic(file, options) : OnnxModel.load(file, options);
    }

    private Model automatic(ModelFile file, ModelOptions options) {
        Optional<String> refusal = unavailable(Device.CUDA);
        if (refusal.isEmpty()) {
            try {
                return OnnxModel.load(file, options.withDevice(Device.CUDA));
            } catch (ModelException e) {
                refusal = Optional.of(e.getMessage());
            }
        }
        Model model = OnnxModel.load(file, options.withDevice(Device.CPU));
        if (!ANNOUNCED.getAndSet(true)) {
            LoggerFactory.getLogger(OnnxRuntimeEngine.class)
                    .info("Paritas: onnxruntime runs on the CPU: {}", refusal.get());
        }
        return model;
    }
}
