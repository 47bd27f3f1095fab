/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.TrainableNetworks;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.RawScores;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Learns a code for a deployed model for images (thesis, 7.2). One training at a time in a JVM: LibTorch's random numbers are those
 * of all threads.
 */
@PublicApi
public final class CodeTraining {

    private CodeTraining() {}

    /** The code, and how its training went. */
    public record Result(LearnedCode code, Training training) {}

    /**
     * Refuses a training that fails whatever its examples are. Does not look at the deployed model's answers, which may take minutes.
     *
     * @throws IllegalArgumentException if the model's queries cannot be encoded
     * @throws ModelException if the device does not work here, or the model has operators that cannot be trained, or answers
     *     probabilities to a loss that wants scores
     */
    public static void requireTrainable(DeployedModel deployed, CodePlan plan, TrainOptions options) {
        plan.require(deployed.input().shape());
        if (plan.loss() == CodePlan.Loss.KL_BASE) {
            RawScores.require(deployed.file(), purpose(plan));
        }
        Device device = LibTorch.start(options.device(), options.threads());
        TrainableNetworks.tryOut(TrainableNetworks.frozen(deployed.file(), device), deployed.input(), device);
    }

    private static String purpose(CodePlan plan) {
        return "the loss " + plan.loss();
    }

    /**
     * Trains an encoder and a decoder.
     *
     * @param deployed a model of images (channels, height, width). It never changes, but gradients flow through it, so all
     *     its operators must be trainable
     * @param examples at least one full group to train on
     * @param checkpoint file to resume from and to write, which stays until {@link Training#deleteCheckpoint}; empty for none
     * @throws IllegalArgumentException if the examples are of another model, a prediction is not finite, or labels are not known that are
     *     to be learned, or are no classes of the model
     */
    public static Result train(
            DeployedModel deployed,
            CodePlan plan,
            TrainingExamples examples,
            TrainOptions options,
            Optional<Path> checkpoint,
            Progress progress) {
        List<Integer> shape = deployed.input().shape();
        if (shape.size() != 3) {
            throw new IllegalArgumentException(
                    "a code is learned for images (channels, height, width), the deployed model takes "
                            + deployed.input());
        }
        examples.requireOf(deployed);
        if (plan.loss() == CodePlan.Loss.KL_BASE) {
            RawScores.require(deployed.file(), examples.train().predictions(), purpose(plan));
        }
        Device device = LibTorch.start(options.device(), options.threads());
        String description = "learned code " + LearnedCode.settings(plan) + " for "
                + deployed.file().sha256() + " on " + examples.description();
        try (Network frozen = TrainableNetworks.frozen(deployed.file(), device);
                CodeObjective objective = new CodeObjective(
                        description,
                        plan,
                        new CodeNetworks(
                                fresh(
                                        plan.encoderNetwork(shape),
                                        options.derived(1).seed(),
                                        device),
                                fresh(
                                        plan.decoderNetwork(deployed.output().size()),
                                        options.derived(2).seed(),
                                        device),
                                frozen),
                        examples,
                        device)) {
            Training training = Trainer.train(objective, options, checkpoint, progress);
            Map<String, ModelFile> models = new LinkedHashMap<>();
            models.put(LearnedCode.ENCODER, training.networks().get(0));
            models.put(LearnedCode.DECODER, training.networks().get(1));
            Map<String, Double> accuracy = new LinkedHashMap<>();
            accuracy.put("validation.available", examples.validation().accuracy());
            accuracy.put("validation.degraded", training.best().score());
            Map<String, String> settings = LearnedCode.settings(plan);
            settings.putAll(InputRange.of(examples.train().inputs()).settings());
            Bundle bundle = Bundle.of(BundleKind.LEARNED, deployed, models)
                    .withSettings(settings)
                    .withAccuracy(accuracy)
                    .withTraining(Map.of("data", examples.description(), "options", options.toString()));
            return new Result(LearnedCode.of(bundle), training);
        }
    }

    private static Network fresh(Graph graph, long seed, Device device) {
        return GraphNetwork.trainable(Initialisation.XAVIER.apply(graph, seed), device);
    }
}
