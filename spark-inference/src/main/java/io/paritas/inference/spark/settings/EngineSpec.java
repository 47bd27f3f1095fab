/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * How an engine runs a model in tasks: {@link ModelOptions} without the GPU, which Spark assigns to each task.
 *
 * @param name name of a model engine, or auto
 * @param device where to run
 * @param threads threads of the engine for one prediction
 * @param inputShape shape of one row, for a file that does not tell it
 * @param protection how the model checks what it computes
 */
public record EngineSpec(String name, Device device, int threads, List<Integer> inputShape, Protection protection)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Copies the list into one that can be serialized. */
    public EngineSpec {
        inputShape = new ArrayList<>(inputShape);
    }

    /** What options say, but for the GPU. */
    public static EngineSpec of(ModelOptions options) {
        return new EngineSpec(
                options.engine(), options.device(), options.threads(), options.inputShape(), options.protection());
    }

    ModelOptions on(GpuChoice gpu) {
        return new ModelOptions(name, device, threads, inputShape, gpu, protection);
    }
}
