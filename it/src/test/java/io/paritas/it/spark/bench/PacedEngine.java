/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * ONNX Runtime with a time that each row takes, so that more models than processors can be measured beside each other: what a
 * model on an accelerator looks like to its executor. Only where {@code -Dparitas.bench.nanosPerRow} says how long.
 */
public final class PacedEngine implements ModelEngine {
    static final String NANOS_PER_ROW = "paritas.bench.nanosPerRow";

    @Override
    public String name() {
        return "paced";
    }

    @Override
    public Set<ModelFormat> formats() {
        return Set.of(ModelFormat.ONNX);
    }

    @Override
    public Optional<String> unavailable(Device device) {
        return Long.getLong(NANOS_PER_ROW) == null
                ? Optional.of("benchmarks set -D" + NANOS_PER_ROW + ", nobody else needs it")
                : Optional.empty();
    }

    @Override
    public Model load(ModelFile file, ModelOptions options) {
        return new Paced(ModelEngines.load(file, options.withEngine("onnxruntime")), Long.getLong(NANOS_PER_ROW));
    }

    private record Paced(Model model, long nanosPerRow) implements Model {
        @Override
        public TensorSpec input() {
            return model.input();
        }

        @Override
        public TensorSpec output() {
            return model.output();
        }

        @Override
        public Device device() {
            return model.device();
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            long end = System.nanoTime() + rows * nanosPerRow;
            model.predict(rows, inputs, outputs);
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }

        @Override
        public void close() {
            model.close();
        }
    }
}
