/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import io.paritas.examples.learn.DataOptions.Data;
import io.paritas.inference.data.Examples;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.folded.FoldedTraining;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.TrainOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code paritas train folded}: a folded network out of a classifier. */
@Command(
        name = "folded",
        description =
                "Folds a classifier, so that it takes f images at once and does more for each byte that it moves, and"
                        + " trains the result.",
        footer = {
            "",
            "DIR gets folded.json, folded.onnx, and the learning curve. 'paritas inspect' says whether folding pays.",
            "",
            "Unless said otherwise: Adam at 0.001 with weight decay 1e-5, 50 epochs, batches of 32 images.",
            "",
            "Example:",
            "  paritas train folded --model models/base/base.onnx --fold 4 --distil --out models/folded"
        })
final class TrainFoldedCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private DataOptions dataOptions;

    @Mixin
    private LearningOptions learning;

    @Mixin
    private ModelChoice model;

    @Option(names = "--fold", defaultValue = "2", description = "Images in a stack, f. Default: ${DEFAULT-VALUE}")
    private int fold;

    @Option(
            names = "--multiplier",
            paramLabel = "FACTOR",
            description = "Of the channels inside the network. Default: the square root of f")
    private Double multiplier;

    @Option(
            names = "--rounding",
            defaultValue = "FLOOR",
            description = "Of channels, one of: ${COMPLETION-CANDIDATES}; TILES makes multiples of 8."
                    + " Default: ${DEFAULT-VALUE}")
    private Rounding rounding;

    @Option(names = "--distil", description = "Learn the classifier's answers instead of the labels.")
    private boolean distil;

    @Option(
            names = "--curriculum",
            paramLabel = "EPOCHS",
            description = "Start with a tenth of the classes, and add a tenth every so many epochs.")
    private Integer curriculum;

    @Option(
            names = "--init",
            defaultValue = "XAVIER",
            description = "How fresh weights are drawn, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Initialisation initialisation;

    @Override
    public Integer call() throws IOException {
        output.checkFree("folded.json");
        FoldOptions folding = new FoldOptions(fold, multiplier == null ? Math.sqrt(fold) : multiplier, rounding);
        // As published, a batch has 32 images, or the next multiple of f below.
        TrainOptions options = learning.over(TrainOptions.DEFAULT.withBatch(Math.max(1, 32 / Math.max(1, fold))));
        Data images = dataOptions.load();
        try (Deployed deployed = model.load(images.shape());
                TrainingProgress progress = new TrainingProgress(output.writer())) {
            Answered data = Answered.of(images, deployed);
            output.print("%s", data.description());
            FoldedTraining.Result result = FoldedTraining.train(
                    deployed.described(),
                    folding,
                    distil,
                    curriculum == null
                            ? Curriculum.NONE
                            : Curriculum.tenths(deployed.model().output().size(), fold, curriculum),
                    initialisation,
                    data.train(),
                    data.validation(),
                    data.description(),
                    options,
                    Optional.of(output.folder().resolve("folded.checkpoint")),
                    progress);
            Examples test = data.test();
            Map<String, Double> measured = result.network().measure(test, model.options());
            FoldedNetwork network = result.network().withAccuracy(measured);
            Path descriptor = network.bundle().write(output.folder());
            new TrainingReport(output.folder(), "folded", result.training())
                    .write(data.description(), options, measured);
            output.print("%s, on %d images of the test:", descriptor, test.count());
            output.print(measured);
        }
        return 0;
    }
}
