/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Examples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train base}: trains a classifier, for the other commands to protect. */
@Command(
        name = "base",
        description = "Trains an image classifier, the model that the other commands protect or speed up.",
        footer = {
            "",
            "Writes base.onnx, base-training.json, and the learning curve as CSV and PNG to DIR.",
            "",
            "Defaults: Adam at 0.001 with weight decay 1e-5, 30 epochs, batches of 64 images.",
            "",
            "Example:",
            "  paritas train base --network lenet --data mnist:datasets/mnist --epochs 20 --out models/base"
        })
final class TrainBaseCommand implements Callable<Integer> {
    private static final TrainingFiles FILES = TrainingFiles.BASE;

    private static final TrainOptions OWN = TrainOptions.DEFAULT.withEpochs(30);

    @Mixin
    private Output output;

    @Mixin
    private TrainingDataOptions dataOptions;

    @Mixin
    private LearningOptions learning;

    @Option(
            names = "--network",
            paramLabel = "NAME",
            defaultValue = "mlp",
            description = "The network, such as mlp, lenet, resnet18, or an .onnx file for its architecture; a wrong"
                    + " name lists all. Default: ${DEFAULT-VALUE}")
    private String network;

    @Option(
            names = "--dropout",
            paramLabel = "SHARE",
            description = "Dropout of a noscope network: 0.25 in the thesis. Default: none, as the published program")
    private Float dropout;

    @Option(
            names = "--init",
            paramLabel = "KIND",
            defaultValue = "PYTORCH",
            description =
                    "Distribution of initial weights, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Initialisation initialisation;

    @Override
    public Integer call() throws IOException {
        learning.check();
        dataOptions.check();
        output.usage()
                .require(
                        dropout == null || (dropout > 0 && dropout < 1),
                        "--dropout must be above 0 and below 1",
                        dropout);
        if (network.endsWith(".onnx")) {
            output.usage().requireFile("--network", Path.of(network));
        } else {
            output.usage().parsed("--network", () -> NetworkName.named(network));
        }
        output.usage()
                .check(
                        dropout == null || hasDropout(),
                        "--dropout is of the noscope networks, got --network %s: leave it out",
                        network);
        output.claim(FILES, this::run);
        return 0;
    }

    private boolean hasDropout() {
        return !network.endsWith(".onnx") && NetworkName.named(network).hasDropout();
    }

    private void run() throws IOException {
        TrainOptions options = learning.over(OWN);
        Data data = output.saying("loading the images " + dataOptions.source(), dataOptions::load);
        Graph graph = graph(data);
        output.print("%s", data.description());
        output.print("%s: %s", network, graph);
        Training training = train(graph, data, options);
        training.networks().get(0).write(output.folder().resolve("base.onnx"));
        try (LoadedModel deployed = LoadedModel.load(output.folder().resolve("base.onnx"))) {
            Examples test = output.saying("predicting the images of the test", () -> deployed.answer(data.test()));
            Map<String, Double> accuracy = Map.of("test.available", test.accuracy());
            new TrainingReport(output.folder(), "base", training).write(data.description(), options, accuracy);
            training.deleteCheckpoint();
            output.print(
                    "%s, best in epoch %d:",
                    output.folder().resolve("base.onnx"), training.best().number());
            output.print(accuracy);
        }
    }

    private Graph graph(Data data) {
        if (data.classes().size() < 2) {
            throw new IllegalArgumentException("a classifier must tell two classes or more apart, the images have "
                    + data.classes() + ": choose other --data, with a folder for each class");
        }
        if (dropout != null) {
            return NetworkName.named(network)
                    .build(data.train().inputs().shape(), data.classes().size(), dropout);
        }
        if (network.endsWith(".onnx")) {
            Graph graph = Graph.read(Path.of(network));
            require("inputs of", data.train().inputs().shape(), graph.input().shape());
            require(
                    "an output for each class,",
                    List.of(data.classes().size()),
                    graph.output().shape());
            graph.requireRawScores("training on labels");
            return graph;
        }
        return Networks.named(
                network, data.train().inputs().shape(), data.classes().size());
    }

    private void require(String what, List<Integer> wanted, List<Integer> given) {
        if (!wanted.equals(given)) {
            throw new IllegalArgumentException("a network for these images must have " + what + " the shape " + wanted
                    + ", " + network + " has " + given);
        }
    }

    /** The network by its name; a file may change, so by its content as well. */
    private String name() {
        return network.endsWith(".onnx")
                ? network + " with the SHA-256 "
                        + ModelFile.read(Path.of(network)).sha256()
                : network;
    }

    private Training train(Graph graph, Data data, TrainOptions options) {
        Device device = LibTorch.start(options.device(), options.threads());
        Graph fresh = initialisation.apply(graph, options.seed());
        try (ClassifierObjective objective = new ClassifierObjective(
                "base " + name() + (dropout == null ? "" : " with dropout " + dropout) + " " + initialisation + " on "
                        + data.description(),
                Classifier.of(
                        GraphNetwork.trainable(fresh, device), data.classes().size(), device),
                TrainingSets.of(data.train(), data.validation()),
                Curriculum.NONE)) {
            Optional<Path> checkpoint = Optional.of(output.folder().resolve(FILES.checkpoint()));
            return output.training(progress -> Trainer.train(objective, options, checkpoint, progress));
        }
    }
}
