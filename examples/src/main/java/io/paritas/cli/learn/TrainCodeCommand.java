/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Networks.DecoderLayers;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodeTraining;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.DegradedAccuracy;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train code}: learns an encoder and a decoder for a deployed model. */
@Command(
        name = "code",
        description = "Learns an encoder and a decoder for a deployed model, which answers the parity queries itself.",
        footer = {
            "",
            "Writes learned.json, encoder.onnx, decoder.onnx and the learning curve to DIR.",
            "coded_predict and paritas serve take them as they take parity models.",
            "",
            "Defaults: Adam at 0.001 with weight decay 1e-5, 100 epochs, batches of 64 groups for k = 2, otherwise of 32.",
            "",
            "Example:",
            "  paritas train code --model models/base/base.onnx --k 2 --encoder MLP --loss MSE_BASE --out models/code"
        })
final class TrainCodeCommand implements Callable<Integer> {
    private static final TrainingFiles FILES = TrainingFiles.CODE;

    @Mixin
    private Output output;

    @Mixin
    private TrainingDataOptions dataOptions;

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
            description = "Parity queries. Default: ${DEFAULT-VALUE}")
    private int r;

    @Option(
            names = "--encoder",
            paramLabel = "KIND",
            defaultValue = "MLP",
            description = "Network of the encoder, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private CodePlan.EncoderKind encoder;

    @Option(
            names = "--loss",
            paramLabel = "KIND",
            defaultValue = "MSE_BASE",
            description = "What reconstructions are compared with, one of: ${COMPLETION-CANDIDATES}."
                    + " Default: ${DEFAULT-VALUE}")
    private CodePlan.Loss loss;

    @Option(
            names = "--decoder",
            paramLabel = "WIDTHS",
            defaultValue = "PROGRAM",
            description = "Widths of the decoder's network, as in the published program or as in the thesis, one of:"
                    + " ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private DecoderLayers decoder;

    @Option(
            names = "--channels",
            paramLabel = "MIX",
            defaultValue = "SEPARATE",
            description =
                    "Whether colour images are encoded channel by channel, or as in the published program, which"
                            + " mixes channels of different images, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private ChannelMix channels;

    @Override
    public Integer call() throws IOException {
        learning.check();
        dataOptions.check();
        model.check();
        CodePlan plan = output.usage().parsed("--k and --r", this::plan);
        output.claim(FILES, () -> run(plan));
        return 0;
    }

    private CodePlan plan() {
        return new CodePlan(k, r, encoder, loss, channels, decoder);
    }

    private void run(CodePlan plan) throws IOException {
        TrainOptions options =
                learning.over(TrainOptions.DEFAULT.withEpochs(100).withBatch(k == 2 ? 64 : 32));
        Data images = output.saying("loading the images " + dataOptions.source(), dataOptions::load);
        try (LoadedModel deployed = model.load(images.shape())) {
            CodeTraining.requireTrainable(deployed.described(), plan, options);
            ExampleSplit data = output.saying("predicting the images", () -> ExampleSplit.of(images, deployed, k));
            output.print("%s", data.description());
            CodeTraining.Result result = output.training(progress -> CodeTraining.train(
                    deployed.described(),
                    plan,
                    new TrainingExamples(data.train(), data.validation(), data.description()),
                    options,
                    Optional.of(output.folder().resolve(FILES.checkpoint())),
                    progress));
            Examples test = data.test();
            DegradedAccuracy measured = output.saying(
                    "measuring the code", () -> result.code().measure(deployed.model(), test, model.options()));
            LearnedCode code = result.code().withAccuracy(measured);
            Path descriptor = code.bundle().write(output.folder());
            new TrainingReport(output.folder(), "learned", result.training())
                    .write(data.description(), options, measured.toMap());
            result.training().deleteCheckpoint();
            output.print("%s, on %d groups of the test:", descriptor, measured.groups());
            output.print(measured.toMap());
        }
    }
}
