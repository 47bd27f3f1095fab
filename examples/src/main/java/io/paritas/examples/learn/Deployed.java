/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.examples.learn.DataOptions.Data;
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

/** A deployed model, loaded, and its answers to images. */
final class Deployed implements AutoCloseable {
    private final ModelFile file;
    private final Model model;

    private Deployed(ModelFile file, Model model) {
        this.file = file;
        this.model = model;
    }

    /** Loads an ONNX model. */
    static Deployed load(Path path) {
        return load(path, ModelOptions.DEFAULT, List.of());
    }

    /** @param shape of a row, if the file does not tell it, as TorchScript files do not */
    static Deployed load(Path path, ModelOptions options, List<Integer> shape) {
        ModelFile file = ModelFile.read(path);
        boolean tells = file.format() == ModelFormat.ONNX;
        return new Deployed(file, ModelEngines.load(file, tells ? options : options.withInputShape(shape)));
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

    /** Refuses images that the model does not take. */
    void requireTakes(Data data) {
        Inputs images = data.test().inputs();
        boolean fits = images.size() == model.input().size()
                && data.classes().size() <= model.output().size();
        if (!fits) {
            throw new ModelException("the images must fit the model, which goes from " + model.input() + " to "
                    + model.output() + "; the images have the shape " + images.shape() + " and "
                    + data.classes().size()
                    + " classes: choose other --data, or train a base model on these");
        }
    }

    /** Images with their labels and with this model's answers, which are asked for without augmentation. */
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
