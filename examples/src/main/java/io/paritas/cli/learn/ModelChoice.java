/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.usage.Usage;
import io.paritas.inference.ModelOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the deployed model and its engine. */
@Command
final class ModelChoice {
    @Option(
            names = "--model",
            paramLabel = "FILE",
            required = true,
            description = "The deployed model: ONNX or TorchScript.")
    private Path path;

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "Engine: onnxruntime, libtorch, gpu, protected or auto. Default: ${DEFAULT-VALUE}")
    private String engine;

    @Option(
            names = "--input-shape",
            paramLabel = "SIZE",
            split = "x",
            description = "Shape of one row, such as 3x32x32, for a TorchScript file without one and without images.")
    private List<Integer> shape;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Refuses a model that is not there. */
    void check() {
        new Usage(command).requireFile("--model", path);
    }

    /** Loads the model for rows of its own shape; if the file has none, for rows of the images' shape. */
    LoadedModel load(List<Integer> images) {
        return load(images, options());
    }

    LoadedModel load(List<Integer> images, ModelOptions options) {
        return LoadedModel.load(path, options, shape == null ? images : shape);
    }

    ModelOptions options() {
        return ModelOptions.DEFAULT.withEngine(engine);
    }
}
