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
import java.util.stream.IntStream;

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
        boolean fits =
                takes(images.shape()) && data.classes().size() <= model.output().size();
        if (!fits) {
            throw new ModelException("the images must fit " + path + ", which goes from " + model.input() + " to "
                    + model.output() + "; the images have the shape " + images.shape() + " and "
                    + data.classes().size()
                    + " classes: choose other --data, or train a base model on these; of queries that are no images,"
                    + " train parity, train calibrate and eval take a log, with --queries");
        }
        if (data.areFolders()) {
            requireLabelsAreOutputs(data.classes());
        }
    }

    /** A label is the position of its folder: of some classes only, that is the position of another one's output. */
    private void requireLabelsAreOutputs(List<String> folders) {
        int outputs = model.output().size();
        boolean arePositions =
                IntStream.range(0, folders.size()).allMatch(label -> isPosition(folders.get(label), label));
        if (folders.size() < outputs && !arePositions) {
            throw new ModelException("the images must have a folder for each of the " + outputs + " outputs of " + path
                    + ", in their order, because a label is the position of its folder; they have " + folders.size()
                    + ": " + folders + ": add the others, or name these 0, 1 and so on if they are the first outputs");
        }
    }

    private static boolean isPosition(String folder, int position) {
        try {
            return Integer.parseInt(folder) == position;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Whether images of a shape, (channels, height, width), are rows of the model as they lie: in its own shape, as a vector, or in one
     * colour as (height, width). A model that takes pixel by pixel would get their values in the wrong order.
     */
    private boolean takes(List<Integer> images) {
        List<Integer> shape = model.input().shape();
        return shape.equals(images)
                || shape.equals(List.of(images.stream().reduce(1, Math::multiplyExact)))
                || (images.get(0) == 1 && shape.equals(images.subList(1, images.size())));
    }

    /**
     * Returns images with their labels and this model's predictions for them, without augmentation. The images have the shape that the
     * model takes.
     */
    Examples answer(Labelled images) {
        Inputs plain = images.inputs() instanceof ImageInputs augmented
                ? new ImageInputs(augmented.images(), augmented.normalization())
                : images.inputs();
        return new Examples(
                new Rows(images.inputs(), model.input().shape()),
                Predictions.of(model, plain),
                Optional.of(images.labels()));
    }

    @Override
    public void close() {
        model.close();
    }

    /** Images under another shape. */
    private record Rows(Inputs images, List<Integer> shape) implements Inputs {
        @Override
        public int count() {
            return images.count();
        }

        @Override
        public void copy(int index, float[] into, int offset) {
            images.copy(index, into, offset);
        }

        @Override
        public Inputs at(int epoch) {
            return new Rows(images.at(epoch), shape);
        }
    }
}
