/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.StoredInput;
import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * Models that take rows as they are stored, like those on a GPU, and compute nothing: what is left is the work of tasks. Only where
 * {@code -Dparitas.bench.noWork} is set.
 */
public final class NoWorkEngine implements ModelEngine {
    static final String NAME = "nowork";
    static final String ON = "paritas.bench.noWork";

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
        return System.getProperty(ON) == null
                ? Optional.of("benchmarks set -D" + ON + ", nobody else needs it")
                : Optional.empty();
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        try (Model model = ModelEngines.load(file, options.withEngine("onnxruntime"))) {
            return new NoWork(model.input(), model.output());
        }
    }

    private record NoWork(TensorSpec input, TensorSpec output) implements Model {
        @Override
        public Device device() {
            return Device.CUDA;
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            inputs.position(inputs.position() + rows * input.size());
            outputs.position(outputs.position() + rows * output.size());
        }

        @Override
        public Optional<StoredInput> storedInput() {
            return Optional.of((rows, outputs) -> outputs.position(outputs.position() + rows.rows() * output.size()));
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
