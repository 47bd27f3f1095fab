/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.usage.Usage;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.TrainOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of training; the defaults are those of each command's publication. */
@Command
final class LearningOptions {
    @Option(names = "--epochs", paramLabel = "COUNT", description = "Most passes over the images.")
    private Integer epochs;

    @Option(names = "--batch", paramLabel = "COUNT", description = "Groups (or images) in a batch.")
    private Integer batch;

    @Option(names = "--learning-rate", paramLabel = "RATE", description = "Learning rate of the first epoch.")
    private Double learningRate;

    @Option(names = "--weight-decay", paramLabel = "FACTOR", description = "Factor of the L2 regularisation.")
    private Double weightDecay;

    @Option(
            names = "--decay-every",
            paramLabel = "EPOCHS",
            description = "Halve the learning rate after this many epochs.")
    private Integer decayEvery;

    @Option(
            names = "--patience",
            paramLabel = "EPOCHS",
            description = "Stop after this many epochs without a better one; 0 never stops. Default: 0")
    private Integer patience;

    @Option(names = "--optimizer", paramLabel = "NAME", description = "Optimizer, one of: ${COMPLETION-CANDIDATES}.")
    private TrainOptions.Method method;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Seed of initial weights, order and dropout; the choice of images and --augment have fixed ones."
                            + " Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            defaultValue = "AUTO",
            description = "Where to train, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Device device;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Threads of one operation; more than one helps large networks only. Default: ${DEFAULT-VALUE}")
    private int threads;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Refuses numbers that no training has. */
    void check() {
        Usage usage = new Usage(command);
        usage.requireAtLeast(1, "--epochs", epochs);
        usage.requireAtLeast(1, "--batch", batch);
        usage.require(
                learningRate == null || (learningRate > 0 && learningRate < 10),
                "--learning-rate must be above 0 and below 10",
                learningRate);
        usage.require(
                weightDecay == null || (weightDecay >= 0 && weightDecay < 1),
                "--weight-decay must be at least 0 and below 1",
                weightDecay);
        usage.requireAtLeast(0, "--decay-every", decayEvery);
        usage.requireAtLeast(0, "--patience", patience);
        usage.requireAtLeast(1, "--threads", threads);
    }

    /**
     * Returns the command's own options, overridden by those given.
     *
     * @throws ModelException if LibTorch does not work here, or not on the device
     */
    TrainOptions over(TrainOptions own) {
        LibTorch.start(device, threads);
        return new TrainOptions(
                or(epochs, own.epochs()),
                or(batch, own.batch()),
                or(method, own.method()),
                or(learningRate, own.learningRate()),
                or(weightDecay, own.weightDecay()),
                or(decayEvery, own.decayEvery()),
                or(patience, own.patience()),
                seed,
                device,
                threads);
    }

    private static <T> T or(T said, T own) {
        return said == null ? own : said;
    }
}
