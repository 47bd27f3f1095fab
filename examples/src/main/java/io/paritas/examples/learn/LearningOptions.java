/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.inference.Device;
import io.paritas.inference.train.TrainOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How to train: what is not said is as each command's publication had it. */
@Command
final class LearningOptions {
    @Option(names = "--epochs", paramLabel = "COUNT", description = "Passes over the images, at most.")
    private Integer epochs;

    @Option(names = "--batch", paramLabel = "COUNT", description = "Groups (or images) in a batch.")
    private Integer batch;

    @Option(names = "--learning-rate", paramLabel = "RATE", description = "Of the first epoch.")
    private Double learningRate;

    @Option(names = "--weight-decay", paramLabel = "FACTOR", description = "Of the L2 regularisation.")
    private Double weightDecay;

    @Option(
            names = "--decay-every",
            paramLabel = "EPOCHS",
            description = "Halve the learning rate every so many epochs.")
    private Integer decayEvery;

    @Option(
            names = "--patience",
            paramLabel = "EPOCHS",
            description = "Stop after so many epochs without a better one; 0 never does. Default: 0")
    private Integer patience;

    @Option(names = "--optimizer", paramLabel = "NAME", description = "One of: ${COMPLETION-CANDIDATES}.")
    private TrainOptions.Method method;

    @Option(names = "--seed", defaultValue = "1", description = "Of everything random. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--device",
            defaultValue = "AUTO",
            description = "Where to train, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Device device;

    @Option(
            names = "--threads",
            defaultValue = "1",
            description = "Threads of one operation; more than one help large networks only. Default: ${DEFAULT-VALUE}")
    private int threads;

    /** What was said, on top of what the command has by itself. */
    TrainOptions over(TrainOptions own) {
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
