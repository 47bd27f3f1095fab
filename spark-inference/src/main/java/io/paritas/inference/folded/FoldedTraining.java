/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.data.Examples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Folds a classifier of images and trains the result from fresh weights (thesis, 9.4). */
public final class FoldedTraining {

    private FoldedTraining() {}

    /** The folded network, and how its training went. */
    public record Result(FoldedNetwork network, Training training) {}

    /**
     * Trains a folded network.
     *
     * @param original the classifier; only its architecture is taken, and, distilling, its answers
     * @param distil whether to learn the original's logits instead of the labels
     * @param curriculum how classes come in; the best epoch is one with all of them
     * @param initialisation of the fresh weights; the published one is {@link Initialisation#XAVIER}
     * @param train labelled examples with the original's answers
     * @param validation labelled examples to choose the best epoch by
     * @param about what the examples are, for the descriptor
     * @param checkpoint to go on from, or none
     */
    public static Result train(
            DeployedModel original,
            FoldOptions folding,
            boolean distil,
            Curriculum curriculum,
            Initialisation initialisation,
            Examples train,
            Examples validation,
            String about,
            TrainOptions options,
            Optional<Path> checkpoint,
            Progress progress) {
        Device device = LibTorch.start(options.device(), options.threads());
        Graph folded = Folding.fold(Graph.of(original.file()), folding);
        Graph fresh = initialisation.apply(folded, options.seed());
        String description = "folded " + FoldedNetwork.settings(folding) + (distil ? ", distilled" : "") + ", "
                + curriculum + " from " + original.file().sha256() + " on " + about;
        try (ClassifierObjective objective = new ClassifierObjective(
                description,
                GraphNetwork.trainable(fresh, device),
                folding.fold(),
                original.output().size(),
                Labelled.of(train),
                distil ? Optional.of(train.predictions()) : Optional.empty(),
                Labelled.of(validation),
                curriculum,
                device)) {
            Training training = Trainer.train(objective, options, checkpoint, progress);
            Bundle bundle = Bundle.of(
                    FoldedNetwork.KIND,
                    FoldedNetwork.settings(folding),
                    original,
                    Map.of(FoldedNetwork.KIND, training.networks().get(0)),
                    Map.of(
                            "validation.original", validation.accuracy(),
                            "validation.folded", training.best().score()),
                    Map.of("data", about, "options", options.toString()));
            return new Result(FoldedNetwork.of(bundle), training);
        }
    }
}
