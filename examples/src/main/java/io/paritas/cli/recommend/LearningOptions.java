/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import io.paritas.inference.recommend.train.TrainingDefaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code paritas recommend} that say how long and by which rule a model learns, and when it is kept. */
final class LearningOptions {
    /** The rule by which parameters follow their gradients. */
    enum Optimizer {
        SGD,
        MOMENTUM,
        ADAGRAD,
        ADAM
    }

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the samples. Default: 1")
    private int epochs = 1;

    @Option(
            names = "--patience",
            paramLabel = "N",
            description = "Stop after N epochs without a better AUC. Default: never")
    private Optional<Integer> patience = Optional.empty();

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "sgd, momentum, adagrad or adam, for rows and networks. Default: adagrad")
    private Optimizer optimizer = Optimizer.ADAGRAD;

    @Option(
            names = "--rate",
            paramLabel = "X",
            description = "Learning rate of the embedding rows. Default: ${DEFAULT-VALUE}")
    private double rate = TrainingDefaults.ROW_RATE;

    @Option(
            names = "--network-rate",
            paramLabel = "X",
            description = "Learning rate of the networks. Default: ${DEFAULT-VALUE}")
    private double networkRate = TrainingDefaults.NETWORK_RATE;

    @Option(
            names = "--checkpoints",
            paramLabel = "DIR",
            description =
                    "Write checkpoints of the coded training to this folder, every --every seconds. Default: none")
    private Optional<String> checkpoints = Optional.empty();

    @Option(
            names = "--resume",
            description =
                    "Go on from the newest checkpoint in --checkpoints. All other options must be as they were, but for"
                            + " --out, --servers, --k, --r and --every.")
    private boolean resume;

    boolean writesCheckpoints() {
        return checkpoints.isPresent();
    }

    boolean stopsEarly() {
        return patience.isPresent();
    }

    boolean isResumed() {
        return resume;
    }

    /** Returns what is wrong with these options; empty if nothing is. */
    Optional<String> problem() {
        if (epochs < 1) {
            return Optional.of("--epochs must be at least 1, got " + epochs);
        }
        if (patience.isPresent() && patience.get() < 1) {
            return Optional.of("--patience must be at least 1, got " + patience.get());
        }
        if (!(rate >= 1e-9 && rate < 1e9) || !(networkRate >= 1e-9 && networkRate < 1e9)) {
            return Optional.of("--rate and --network-rate must be above 0, got " + rate + " and " + networkRate);
        }
        if (resume && checkpoints.isEmpty()) {
            return Optional.of("--resume goes on from a checkpoint in --checkpoints, which is missing: add it");
        }
        return Optional.empty();
    }

    /** Settings of the training's program. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "epochs=" + epochs,
                "patience=" + patience.orElse(0),
                "optimizer=" + optimizer.name().toLowerCase(Locale.ROOT),
                String.format(Locale.ROOT, "rate=%.9f", rate),
                String.format(Locale.ROOT, "networkRate=%.9f", networkRate),
                "resume=" + resume));
        checkpoints.ifPresent(folder -> arguments.add("checkpoints=" + DataOptions.uri(folder)));
        return arguments;
    }
}
