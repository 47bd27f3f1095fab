/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.examples.learn.DataOptions.Data;
import io.paritas.inference.data.DegradedAccuracy;
import io.paritas.inference.data.Examples;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.learned.CodeTraining;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.train.TrainOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train code}: a learned encoder and decoder for a deployed model. */
@Command(
        name = "code",
        description =
                "Learns an encoder and a decoder around a deployed model, which answers the parity queries itself.",
        footer = {
            "",
            "DIR gets learned.json, encoder.onnx, decoder.onnx, and the learning curve.",
            "",
            "Unless said otherwise: Adam at 0.001 with weight decay 1e-5, 100 epochs, batches of 64 groups for k = 2 and else of 32.",
            "",
            "Example:",
            "  paritas train code --model models/base/base.onnx --k 2 --encoder MLP --loss MSE_BASE --out models/code"
        })
final class TrainCodeCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private DataOptions dataOptions;

    @Mixin
    private LearningOptions learning;

    @Mixin
    private ModelChoice model;

    @Option(names = "--k", defaultValue = "2", description = "Queries of a group. Default: ${DEFAULT-VALUE}")
    private int k;

    @Option(names = "--r", defaultValue = "1", description = "Parity queries. Default: ${DEFAULT-VALUE}")
    private int r;

    @Option(
            names = "--encoder",
            defaultValue = "MLP",
            description = "Its network, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private CodePlan.EncoderKind encoder;

    @Option(
            names = "--loss",
            defaultValue = "MSE_BASE",
            description = "What reconstructions are compared with, one of: ${COMPLETION-CANDIDATES}."
                    + " Default: ${DEFAULT-VALUE}")
    private CodePlan.Loss loss;

    @Option(
            names = "--legacy-channel-mix",
            description = "Cut colour images as the published code did, mixing channels of different images.")
    private boolean legacyChannelMix;

    @Override
    public Integer call() throws IOException {
        output.checkFree("learned.json");
        CodePlan plan = new CodePlan(k, r, encoder, loss, legacyChannelMix);
        TrainOptions options =
                learning.over(TrainOptions.DEFAULT.withEpochs(100).withBatch(k == 2 ? 64 : 32));
        Data images = dataOptions.load();
        try (Deployed deployed = model.load(images.shape());
                TrainingProgress progress = new TrainingProgress(output.writer())) {
            Answered data = Answered.of(images, deployed);
            output.print("%s", data.description());
            CodeTraining.Result result = CodeTraining.train(
                    deployed.described(),
                    plan,
                    data.train(),
                    data.validation(),
                    data.description(),
                    options,
                    Optional.of(output.folder().resolve("learned.checkpoint")),
                    progress);
            Examples test = data.test();
            DegradedAccuracy measured = result.code().measure(deployed.model(), test, model.options());
            LearnedCode code = result.code().withAccuracy(measured);
            Path descriptor = code.bundle().write(output.folder());
            new TrainingReport(output.folder(), "learned", result.training())
                    .write(data.description(), options, measured.toMap());
            output.print("%s, on %d groups of the test:", descriptor, measured.groups());
            output.print(measured.toMap());
        }
        return 0;
    }
}
