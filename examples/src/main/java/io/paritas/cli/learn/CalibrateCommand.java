/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.cli.progress.Waiting;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.BundleKind;
import io.paritas.inference.data.Examples;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.ResidualCalibration;
import io.paritas.inference.train.ClaimedFolder;
import io.paritas.inference.train.TrainingFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas train calibrate}: measures the residuals of parity models that were trained without. */
@Command(
        name = "calibrate",
        description =
                "Measures how far clean predictions are from what parity models answer, for spark.paritas.screen=residual.",
        footer = {
            "",
            "Writes the residuals into DIR/parity.json, or the descriptor that --parity names. train parity has done so"
                    + " already.",
            "",
            "Example:",
            "  paritas train calibrate --model models/base/base.onnx --parity models/parity --data glyphs"
        })
final class CalibrateCommand implements Callable<Integer> {
    private static final double[] RATES = {1e-2, 1e-3, 1e-4};

    @Mixin
    private DataOptions dataOptions;

    @Mixin
    private ExampleOptions examples;

    @Mixin
    private ModelChoice model;

    @Option(names = "--parity", paramLabel = "DIR", required = true, description = "Its parity models.")
    private Path parity;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        model.check();
        Path descriptor = Files.isDirectory(parity) ? parity.resolve(BundleKind.PARITY.file()) : parity;
        new Usage(spec)
                .check(
                        Files.isRegularFile(descriptor),
                        "--parity must have parity models, there is no %s: name another folder",
                        descriptor);
        // Whatever r is: all trainings of parity models claim the same.
        try (ClaimedFolder claimed =
                TrainingFiles.parity(1).claim(descriptor.toAbsolutePath().getParent())) {
            ParityModels calibrated = calibrated(ParityModels.read(descriptor));
            calibrated.bundle().writeDescriptor(descriptor);
            print(calibrated, descriptor);
        }
        return 0;
    }

    private ParityModels calibrated(ParityModels models) throws IOException {
        Optional<Data> images;
        try (Waiting waiting = Waiting.on(spec.commandLine().getErr())) {
            waiting.begin("loading " + examples.source(dataOptions.source()));
            images = examples.unlessLogged(dataOptions::load);
        }
        try (LoadedModel deployed = model.load(images.map(Data::shape).orElse(List.of()));
                Waiting waiting = Waiting.on(spec.commandLine().getErr())) {
            models.bundle().requireFor(deployed.file());
            waiting.begin("predicting the examples");
            Examples clean = examples.answered(images, deployed, 1).validation();
            waiting.begin("measuring residuals");
            ParityModels calibrated = ResidualCalibration.calibrate(models, clean, model.options());
            if (calibrated.equals(models) && !models.exact()) { // unchanged, with the residuals of other examples
                throw new ParameterException(
                        spec.commandLine(),
                        "Too few examples: residuals of 20 groups at least are needed, which are finite.");
            }
            return calibrated;
        }
    }

    private void print(ParityModels models, Path descriptor) {
        StringBuilder text = new StringBuilder(descriptor.toString());
        for (double rate : RATES) {
            ResidualBound bound = models.residualBound(rate);
            text.append(
                    bound.needsInputs()
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    "%n  %.4f of sound groups have a residual above %.4g",
                                    rate,
                                    bound.of(0, models.plan().code().k(), 0)));
        }
        text.append(models.exact() ? ": exact, nothing to calibrate" : "");
        spec.commandLine().getOut().println(text);
        spec.commandLine().getOut().flush();
    }
}
