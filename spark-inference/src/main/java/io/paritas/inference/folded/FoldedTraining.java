/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.TrainableNetworks;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Folds a classifier of images and trains the result from fresh weights (thesis, 9.4). One training at a time in a JVM: LibTorch's
 * random numbers are those of all threads.
 */
@PublicApi
public final class FoldedTraining {

    private FoldedTraining() {}

    /** The folded network, and the course of its training. */
    public record Result(FoldedNetwork network, Training training) {}

    /** What the folded network learns to answer. */
    public enum Teacher {
        /** The labels. */
        LABELS,
        /** The logits of the original network: distillation. */
        ORIGINAL
    }

    /**
     * What to train, and how.
     *
     * @param folding how the network is folded
     * @param teacher what it learns to answer
     * @param curriculum how classes come in; the best epoch is one with all of them
     * @param initialisation distribution of the fresh weights; the published one is {@link Initialisation#XAVIER}
     */
    public record Recipe(FoldOptions folding, Teacher teacher, Curriculum curriculum, Initialisation initialisation) {

        /** The folded network, without weights. */
        private Graph fold(ModelFile original) {
            Graph graph = Graph.of(original);
            if (teacher != Teacher.ORIGINAL) {
                graph.requireRawScores("training on labels");
            }
            return Folding.fold(graph, folding);
        }

        private String text() {
            return FoldedNetwork.settings(folding) + (teacher == Teacher.ORIGINAL ? ", distilled" : "") + ", "
                    + curriculum + ", " + initialisation;
        }
    }

    /**
     * Refuses a training that fails whatever its examples are. Does not look at the original's answers, which may take minutes.
     *
     * @throws IllegalArgumentException if the training ends before the curriculum has all classes
     * @throws ModelException if the device does not work here, or the network cannot be folded or trained
     */
    public static void requireTrainable(DeployedModel original, Recipe recipe, TrainOptions options) {
        recipe.curriculum().check(original.output().size(), options.epochs());
        Graph folded = recipe.fold(original.file());
        Device device = LibTorch.start(options.device(), options.threads());
        TrainableNetworks.tryOut(GraphNetwork.trainable(folded, device), folded.input(), device);
    }

    /**
     * Trains a folded network.
     *
     * @param original the classifier: gives the architecture, and its answers if it is the teacher
     * @param examples labelled, with the original's answers
     * @param checkpoint file to resume from and to write, which stays until {@link Training#deleteCheckpoint}; empty for none
     * @throws IllegalArgumentException if the training ends before the curriculum has all classes, the examples are of another model, an
     *     answer to learn is not finite, or labels are not known or no classes of the model
     */
    public static Result train(
            DeployedModel original,
            Recipe recipe,
            TrainingExamples examples,
            TrainOptions options,
            Optional<Path> checkpoint,
            Progress progress) {
        examples.requireOf(original);
        recipe.curriculum().check(original.output().size(), options.epochs());
        Device device = LibTorch.start(options.device(), options.threads());
        Graph fresh = recipe.initialisation().apply(recipe.fold(original.file()), options.seed());
        String description =
                "folded " + recipe.text() + " from " + original.file().sha256() + " on " + examples.description();
        Optional<Predictions> teacher = recipe.teacher() == Teacher.ORIGINAL
                ? Optional.of(examples.train().predictions())
                : Optional.empty();
        try (ClassifierObjective objective = new ClassifierObjective(
                description,
                new Classifier(
                        GraphNetwork.trainable(fresh, device),
                        recipe.folding().fold(),
                        original.output().size(),
                        device),
                new TrainingSets(Labelled.of(examples.train()), teacher, Labelled.of(examples.validation())),
                recipe.curriculum())) {
            Training training = Trainer.train(objective, options, checkpoint, progress);
            Bundle bundle = Bundle.of(
                            BundleKind.FOLDED,
                            original,
                            Map.of(FoldedNetwork.NETWORK, training.networks().get(0)))
                    .withSettings(FoldedNetwork.settings(recipe.folding()))
                    .withAccuracy(Map.of(
                            "validation.original", examples.validation().accuracy(),
                            "validation.folded", training.best().score()))
                    .withTraining(Map.of("data", examples.description(), "options", options.toString()));
            return new Result(FoldedNetwork.of(bundle), training);
        }
    }
}
