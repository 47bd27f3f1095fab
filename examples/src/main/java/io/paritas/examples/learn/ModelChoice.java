/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.inference.ModelOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Which deployed model, and what runs it. */
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
            description = "What runs it: onnxruntime, libtorch, or auto. Default: ${DEFAULT-VALUE}")
    private String engine;

    @Option(
            names = "--input-shape",
            paramLabel = "SIZE",
            split = "x",
            description =
                    "Shape of one row, such as 3x32x32, for a TorchScript file that does not say it and no images.")
    private List<Integer> shape;

    /** Loads it for rows of its own shape, or, if it does not tell that, for rows of the shape of these images. */
    Deployed load(List<Integer> images) {
        return Deployed.load(path, options(), shape == null ? images : shape);
    }

    ModelOptions options() {
        return ModelOptions.DEFAULT.withEngine(engine);
    }
}
