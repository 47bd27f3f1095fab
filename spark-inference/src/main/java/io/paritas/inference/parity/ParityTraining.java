/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.TrainableNetworks;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.RawScores;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Trains parity models for a deployed model: networks of its architecture (thesis, 8.3). They need inputs and the deployed model's
 * answers only, so logged queries suffice. One training at a time in a JVM: LibTorch's random numbers are those of all threads.
 */
@PublicApi
public final class ParityTraining {

    private ParityTraining() {}

    /** Parity models, and the course of each one's training. */
    public record Result(ParityModels models, List<Training> trainings) {}

    /**
     * Refuses a training that fails whatever its examples are. Does not look at the deployed model's answers, which may take minutes.
     *
     * @throws IllegalArgumentException if the model's queries cannot be encoded
     * @throws ModelException if the device does not work here, or the model cannot be trained, or not for this target
     */
    public static void requireTrainable(DeployedModel deployed, ParityPlan plan, Start start, TrainOptions options) {
        plan.require(deployed.input().shape());
        if (plan.target() != Target.OUTPUTS) {
            RawScores.require(deployed.file(), purpose(plan));
        }
        Device device = LibTorch.start(options.device(), options.threads());
        TrainableNetworks.tryOut(network(deployed, start, options, device), deployed.input(), device);
    }

    private static String purpose(ParityPlan plan) {
        return "the target " + plan.target();
    }

    private static Network network(DeployedModel deployed, Start start, TrainOptions options, Device device) {
        return start == Start.MODEL
                ? TrainableNetworks.trainable(deployed.file(), device)
                : TrainableNetworks.fresh(deployed.file(), Initialisation.XAVIER, options.seed(), device);
    }

    /**
     * Trains the r parity models, one after the other.
     *
     * @param deployed the model whose predictions are to be reconstructed
     * @param plan code, encoder and target
     * @param start the weights to begin with
     * @param examples at least one full group to train on
     * @param checkpoints folder of checkpoints to resume from and to write, which stay until {@link Training#deleteCheckpoints};
     *     empty for none
     * @throws ModelException before anything is trained, if there are checkpoints of other trainings
     * @throws IllegalArgumentException if the examples are of another model, a prediction to learn is not finite, or labels are not known
     *     that are to be learned, or are no classes of the model
     */
    public static Result train(
            DeployedModel deployed,
            ParityPlan plan,
            Start start,
            TrainingExamples examples,
            TrainOptions options,
            Optional<Path> checkpoints,
            Progress progress) {
        examples.requireOf(deployed);
        if (plan.target() != Target.OUTPUTS) {
            RawScores.require(deployed.file(), examples.train().predictions(), purpose(plan));
        }
        String common = " of " + ParityModels.settings(plan) + " from weights " + start + " for "
                + deployed.file().sha256() + " on " + examples.description();
        checkpoints.ifPresent(folder -> Trainer.requireSame(IntStream.range(
                        0, plan.code().r())
                .mapToObj(parity -> {
                    String role = ParityModels.role(parity);
                    return new Trainer.Planned(checkpoint(folder, role), role + common, options.derived(parity));
                })
                .toList()));
        Device device = LibTorch.start(options.device(), options.threads());
        Map<String, ModelFile> models = new LinkedHashMap<>();
        List<Training> trainings = new ArrayList<>();
        for (int parity = 0; parity < plan.code().r(); parity++) {
            TrainOptions own = options.derived(parity);
            String role = ParityModels.role(parity);
            Network network = network(deployed, start, own, device);
            try (ParityObjective objective =
                    new ParityObjective(role + common, plan, parity, network, examples, device)) {
                Training training =
                        Trainer.train(objective, own, checkpoints.map(folder -> checkpoint(folder, role)), progress);
                trainings.add(training);
                models.put(role, training.networks().get(0));
            }
        }
        Map<String, Double> accuracy = new LinkedHashMap<>();
        accuracy.put("validation.available", examples.validation().accuracy());
        accuracy.put("validation.degraded", trainings.get(0).best().score());
        Bundle bundle = Bundle.of(BundleKind.PARITY, deployed, models)
                .withSettings(ParityModels.settings(
                        plan, InputRange.of(examples.train().inputs())))
                .withAccuracy(accuracy)
                .withTraining(Map.of(
                        "data", examples.description(), "start", start.toString(), "options", options.toString()));
        return new Result(ParityModels.of(bundle), trainings);
    }

    private static Path checkpoint(Path folder, String role) {
        return folder.resolve(role + ".checkpoint");
    }
}
