/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A loaded deployed model. */
final class LoadedModel implements AutoCloseable {
    private final Path path;
    private final ModelFile file;
    private final Model model;

    private LoadedModel(Path path, ModelFile file, Model model) {
        this.path = path;
        this.file = file;
        this.model = model;
    }

    /** Loads an ONNX model. */
    static LoadedModel load(Path path) {
        return load(path, ModelOptions.DEFAULT, List.of());
    }

    /** @param shape of a row, for files without one, such as TorchScript */
    static LoadedModel load(Path path, ModelOptions options, List<Integer> shape) {
        ModelFile file = ModelFile.read(path);
        boolean tells = file.format() == ModelFormat.ONNX;
        return new LoadedModel(path, file, ModelEngines.load(file, tells ? options : options.withInputShape(shape)));
    }

    ModelFile file() {
        return file;
    }

    Model model() {
        return model;
    }

    DeployedModel described() {
        return DeployedModel.of(file, model);
    }

    /** Refuses images that do not fit the model. */
    void requireTakes(Data data) {
        Inputs images = data.test().inputs();
        boolean fits = images.size() == model.input().size()
                && data.classes().size() <= model.output().size();
        if (!fits) {
            throw new ModelException("the images must fit " + path + ", which goes from " + model.input() + " to "
                    + model.output() + "; the images have the shape " + images.shape() + " and "
                    + data.classes().size()
                    + " classes: choose other --data, or train a base model on these");
        }
    }

    /** Returns images with their labels and this model's predictions for them, without augmentation. */
    Examples answer(Labelled images) {
        Inputs plain = images.inputs() instanceof ImageInputs augmented
                ? new ImageInputs(augmented.images(), augmented.normalization())
                : images.inputs();
        return new Examples(images.inputs(), Predictions.of(model, plain), Optional.of(images.labels()));
    }

    @Override
    public void close() {
        model.close();
    }
}
