/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.DegradedAccuracy;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.ParityTraining;
import io.paritas.inference.parity.ResidualCalibration;
import io.paritas.inference.parity.Start;
import io.paritas.inference.parity.Target;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Training;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train parity}: trains parity models of a deployed model. */
@Command(
        name = "parity",
        description = "Trains parity models: with r of them, any r predictions of a group of k queries may be lost.",
        footer = {
            "",
            "Writes to DIR: parity.json, which ties the models to the deployed one; parity-0.onnx and so on; and the learning"
                    + " curves.",
            "",
            "Defaults: Adam at 0.001 with weight decay 1e-5, 100 epochs, batches of 64 groups for k = 2, otherwise of 32.",
            "",
            "Example:",
            "  paritas train parity --model models/base/base.onnx --k 2 --epochs 100 --out models/parity"
        })
final class TrainParityCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private TrainingDataOptions dataOptions;

    @Mixin
    private ExampleOptions examples;

    @Mixin
    private LearningOptions learning;

    @Mixin
    private ModelChoice model;

    @Option(
            names = "--k",
            paramLabel = "K",
            defaultValue = "2",
            description = "Queries in a group. Default: ${DEFAULT-VALUE}")
    private int k;

    @Option(
            names = "--r",
            paramLabel = "R",
            defaultValue = "1",
            description = "Parity models. Default: ${DEFAULT-VALUE}")
    private int r;

    @Option(
            names = "--encoder",
            paramLabel = "KIND",
            defaultValue = "ADDITION",
            description = "How queries are combined, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Encoding encoding;

    @Option(
            names = "--target",
            paramLabel = "KIND",
            defaultValue = "OUTPUTS",
            description = "What parity models learn, one of: ${COMPLETION-CANDIDATES}; the last is for concatenation."
                    + " Default: ${DEFAULT-VALUE}")
    private Target target;

    @Option(
            names = "--start",
            paramLabel = "WEIGHTS",
            description =
                    "Weights to begin with, one of: ${COMPLETION-CANDIDATES}. Default: MODEL, but FRESH for the target"
                            + " LABELS")
    private Start start;

    @Override
    public Integer call() throws IOException {
        learning.check();
        dataOptions.check();
        model.check();
        ParityPlan plan = plan();
        output.claim(TrainingFiles.parity(r), () -> run(plan));
        return 0;
    }

    private ParityPlan plan() {
        Combinations code = output.usage().parsed("--k and --r", () -> new Combinations(k, r));
        return output.usage().parsed("--encoder and --target", () -> new ParityPlan(code, encoding, target));
    }

    private void run(ParityPlan plan) throws IOException {
        TrainOptions options =
                learning.over(TrainOptions.DEFAULT.withEpochs(100).withBatch(k == 2 ? 64 : 32));
        Start weights = start == null ? Start.usual(target) : start;
        Optional<Data> images = output.saying(
                "loading " + examples.source(dataOptions.source()), () -> examples.unlessLogged(dataOptions::load));
        try (LoadedModel deployed = model.load(images.map(Data::shape).orElse(List.of()))) {
            ParityTraining.requireTrainable(deployed.described(), plan, weights, options);
            ExampleSplit data = output.saying("predicting the examples", () -> examples.answered(images, deployed, k));
            output.print("%s", data.description());
            ParityTraining.Result result = output.training(progress -> ParityTraining.train(
                    deployed.described(),
                    plan,
                    weights,
                    new TrainingExamples(data.train(), data.validation(), data.description()),
                    options,
                    Optional.of(output.folder()),
                    progress));
            DegradedAccuracy measured = output.saying(
                    "measuring the parity models", () -> result.models().measure(data.test(), model.options()));
            ParityModels models = output.saying(
                    "measuring residuals",
                    () -> ResidualCalibration.calibrate(
                            result.models().withAccuracy(measured), data.validation(), model.options()));
            Path descriptor = models.bundle().write(output.folder());
            for (int parity = 0; parity < r; parity++) {
                new TrainingReport(
                                output.folder(),
                                "parity-" + parity,
                                result.trainings().get(parity))
                        .write(data.description(), options, measured.toMap());
            }
            Training.deleteCheckpoints(result.trainings());
            output.print("%s, on %d groups of the test:", descriptor, measured.groups());
            output.print(measured.toMap());
        }
    }
}
