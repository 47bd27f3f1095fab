/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Examples;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.TrainableNetworks;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes parity models for a deployed model: networks of its architecture with fresh weights, trained to answer parity
 * queries (thesis, 8.3). Only inputs and the deployed model's answers are needed, so logged queries will do.
 */
public final class ParityTraining {

    private ParityTraining() {}

    /** Parity models, and how the training of each went. */
    public record Result(ParityModels models, List<Training> trainings) {}

    /**
     * Trains the r parity models, one after the other.
     *
     * @param deployed the model whose predictions are to be reconstructed
     * @param plan which code
     * @param train examples to train on, at least one full group
     * @param validation examples to choose the best epoch by
     * @param about what the examples are, for the descriptor
     * @param checkpoints folder for checkpoints to go on from, or none
     */
    public static Result train(
            DeployedModel deployed,
            ParityPlan plan,
            Examples train,
            Examples validation,
            String about,
            TrainOptions options,
            Optional<Path> checkpoints,
            Progress progress) {
        Device device = LibTorch.start(options.device(), options.threads());
        Map<String, ModelFile> models = new LinkedHashMap<>();
        List<Training> trainings = new ArrayList<>();
        for (int parity = 0; parity < plan.code().r(); parity++) {
            TrainOptions own = options.derived(parity);
            String role = ParityModels.role(parity);
            Network network = TrainableNetworks.fresh(deployed.file(), Initialisation.XAVIER, own.seed(), device);
            String description = role + " of " + ParityModels.settings(plan) + " for "
                    + deployed.file().sha256() + " on " + about;
            try (ParityObjective objective =
                    new ParityObjective(description, plan, parity, network, train, validation, device)) {
                Training training = Trainer.train(
                        objective, own, checkpoints.map(folder -> folder.resolve(role + ".checkpoint")), progress);
                trainings.add(training);
                models.put(role, training.networks().get(0));
            }
        }
        Map<String, Double> accuracy = new LinkedHashMap<>();
        accuracy.put("validation.available", validation.accuracy());
        accuracy.put("validation.degraded", trainings.get(0).best().score());
        Bundle bundle = Bundle.of(
                ParityModels.KIND,
                ParityModels.settings(plan),
                deployed,
                models,
                accuracy,
                Map.of("data", about, "options", options.toString()));
        return new Result(ParityModels.of(bundle), trainings);
    }
}
