/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.folded.FoldedTraining;
import io.paritas.inference.folded.FoldedTraining.Recipe;
import io.paritas.inference.folded.FoldedTraining.Teacher;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train folded}: folds a classifier. */
@Command(
        name = "folded",
        description =
                "Folds a classifier, so that it takes f images at once and computes more for each byte that it moves, and"
                        + " trains the result.",
        footer = {
            "",
            "Writes folded.json, folded.onnx and the learning curve to DIR. 'paritas inspect' tells whether folding pays.",
            "",
            "Defaults: Adam at 0.001 with weight decay 1e-5, 50 epochs, batches of 32 images.",
            "",
            "Example:",
            "  paritas train folded --model models/base/base.onnx --fold 4 --distil --out models/folded"
        })
final class TrainFoldedCommand implements Callable<Integer> {
    private static final TrainingFiles FILES = TrainingFiles.FOLDED;

    @Mixin
    private Output output;

    @Mixin
    private TrainingDataOptions dataOptions;

    @Mixin
    private LearningOptions learning;

    @Mixin
    private ModelChoice model;

    @Option(
            names = "--fold",
            paramLabel = "F",
            defaultValue = "2",
            description = "Images in a stack, f. Default: ${DEFAULT-VALUE}")
    private int fold;

    @Option(
            names = "--multiplier",
            paramLabel = "FACTOR",
            description = "Growth of the channels inside the network. Default: the square root of f")
    private Double multiplier;

    @Option(
            names = "--rounding",
            paramLabel = "KIND",
            defaultValue = "FLOOR",
            description = "Rounding of channels, one of: ${COMPLETION-CANDIDATES}; TILES makes multiples of 8."
                    + " Default: ${DEFAULT-VALUE}")
    private Rounding rounding;

    @Option(names = "--distil", description = "Learn the classifier's answers instead of the labels.")
    private boolean distil;

    @Option(
            names = "--curriculum",
            paramLabel = "EPOCHS",
            description = "Start with a tenth of the classes, and add a tenth after this many epochs.")
    private Integer curriculum;

    @Option(
            names = "--init",
            paramLabel = "KIND",
            defaultValue = "XAVIER",
            description =
                    "Distribution of initial weights, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Initialisation initialisation;

    @Override
    public Integer call() throws IOException {
        learning.check();
        dataOptions.check();
        model.check();
        output.usage().requireAtLeast(1, "--curriculum", curriculum);
        FoldOptions folding = output.usage()
                .parsed(
                        "--fold and --multiplier",
                        () -> new FoldOptions(fold, multiplier == null ? Math.sqrt(fold) : multiplier, rounding));
        output.claim(FILES, () -> run(folding));
        return 0;
    }

    private void run(FoldOptions folding) throws IOException {
        // As published: a batch has 32 images, or the next smaller multiple of f.
        TrainOptions options = learning.over(TrainOptions.DEFAULT.withBatch(Math.max(1, 32 / fold)));
        Data images = output.saying("loading the images " + dataOptions.source(), dataOptions::load);
        try (LoadedModel deployed = model.load(images.shape())) {
            Recipe recipe = recipe(folding, deployed.model().output().size());
            FoldedTraining.requireTrainable(deployed.described(), recipe, options);
            ExampleSplit data = output.saying("predicting the images", () -> ExampleSplit.of(images, deployed, fold));
            output.print("%s", data.description());
            FoldedTraining.Result result = output.training(progress -> FoldedTraining.train(
                    deployed.described(),
                    recipe,
                    new TrainingExamples(data.train(), data.validation(), data.description()),
                    options,
                    Optional.of(output.folder().resolve(FILES.checkpoint())),
                    progress));
            Examples test = data.test();
            Map<String, Double> measured = output.saying(
                    "measuring the folded network", () -> result.network().measure(test, model.options()));
            FoldedNetwork network = output.saying(
                    "calibrating the folded network",
                    () -> result.network().withAccuracy(measured).calibrated(data.validation(), model.options()));
            Path descriptor = network.bundle().write(output.folder());
            new TrainingReport(output.folder(), "folded", result.training())
                    .write(data.description(), options, measured);
            result.training().deleteCheckpoint();
            output.print("%s, on %d images of the test:", descriptor, test.count());
            output.print(measured);
        }
    }

    private Recipe recipe(FoldOptions folding, int classes) {
        return new Recipe(
                folding,
                distil ? Teacher.ORIGINAL : Teacher.LABELS,
                curriculum == null ? Curriculum.NONE : Curriculum.tenths(classes, fold, curriculum),
                initialisation);
    }
}
