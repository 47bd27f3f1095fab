/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.Model;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.Cascade.Calibration;
import io.paritas.inference.folded.FoldPlanner;
import io.paritas.inference.folded.FoldedNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A small model before the deployed one: calibrated on the validation images, measured on the test images. */
@Command
final class CascadeStudy {
    @Option(
            names = "--small",
            paramLabel = "FILE",
            description = "A smaller model, to answer the images that it is sure of before the deployed one.")
    private Path small;

    @Option(
            names = "--small-folded",
            paramLabel = "DIR",
            description = "The folded network of --small, taken in its place where that pays.")
    private Path folded;

    @Option(
            names = "--accuracy",
            paramLabel = "SHARE",
            description = "Accuracy that the cascade must have on the validation images. Default: the deployed model's")
    private Double wanted;

    @Option(names = "--cascade", paramLabel = "DIR", description = "Write the calibrated cascade, for cascade_predict.")
    private Path out;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Answers of a model on both sets of images, and the seconds that the test images took. */
    private record Answered(ModelFile file, int fold, Predictions validation, Predictions test, double seconds) {
        static Answered of(ModelFile file, int fold, Model model, Data data) {
            Predictions validation = Predictions.of(model, data.validation().inputs(), fold); // also warms up
            long start = System.nanoTime();
            Predictions test = Predictions.of(model, data.test().inputs(), fold);
            return new Answered(file, fold, validation, test, (System.nanoTime() - start) / 1e9);
        }
    }

    /** Refuses options that would be without effect, or replace results without {@code --force}. */
    void check(Results results) {
        if (small == null && (folded != null || wanted != null || out != null)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--small-folded, --accuracy and --cascade are of a cascade: name its --small.");
        }
        Usage usage = new Usage(command);
        usage.require(wanted == null || (wanted >= 0 && wanted <= 1), "--accuracy must be 0 to 1", wanted);
        usage.requireFile("--small", small);
        usage.check(
                folded == null || Files.exists(folded),
                "--small-folded must be a folded network, there is none at %s: name another one",
                folded);
        if (out != null) {
            usage.check(
                    folded == null || Stream.of("small.onnx", "small.pt").noneMatch(name -> isSmall(out.resolve(name))),
                    "--small must not be in the folder of --cascade, where --small-folded may replace it, got %s: copy it,"
                            + " or name another folder",
                    small);
            // A cascade may be calibrated again: its small model is read before it is written, and stays what it is.
            results.requireFree(
                    out,
                    Stream.of("cascade.json", "small.onnx", "small.pt")
                            .filter(name -> !isSmall(out.resolve(name)))
                            .toArray(String[]::new));
        }
    }

    private boolean isSmall(Path file) {
        try {
            return Files.exists(file) && Files.exists(small) && Files.isSameFile(file, small);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean wanted() {
        return small != null;
    }

    /** Refuses a small model that does not take the images, and the folded network of another one. */
    void requireFits(Data data, ModelOptions options) {
        try (LoadedModel model = LoadedModel.load(small, options, data.shape())) {
            model.requireTakes(data);
            if (folded != null) {
                FoldedNetwork.read(folded).bundle().requireFor(model.file());
            }
        }
    }

    /** What was measured, by name; accuracies and the share are those of the test images. */
    Map<String, Double> run(LoadedModel deployed, Data data, ModelOptions options) {
        Answered large = Answered.of(deployed.file(), 1, deployed.model(), data);
        Map<String, Double> measured = new LinkedHashMap<>();
        Answered before = before(large, data, options, measured);
        int[] labels = data.validation().labels();
        double least = wanted == null ? large.validation.accuracy(labels) : wanted;
        double threshold = Cascade.calibrate(before.validation, large.validation, labels, least)
                .threshold();
        Calibration found = Cascade.measure(before.test, large.test, data.test().labels(), threshold);
        measured.put("threshold", threshold);
        measured.put("share of the small model", found.share());
        measured.put("small alone", found.small());
        measured.put("large alone", found.large());
        measured.put("cascade", found.accuracy());
        measured.put("speed-up", large.seconds / (before.seconds + (1 - found.share()) * large.seconds));
        if (out != null) {
            Cascade.of(before.file, before.fold, deployed.described(), found, data.description())
                    .bundle()
                    .write(out);
        }
        return measured;
    }

    /** The small model, or its folded network if that pays before this large model (thesis, 9.5.2). */
    private Answered before(Answered large, Data data, ModelOptions options, Map<String, Double> measured) {
        Answered plain;
        try (LoadedModel model = LoadedModel.load(small, options, data.shape())) {
            plain = Answered.of(model.file(), 1, model.model(), data);
        }
        if (folded == null) {
            return plain;
        }
        FoldedNetwork network = FoldedNetwork.read(folded);
        Answered stacked;
        try (Model model = network.load(options)) {
            stacked = Answered.of(network.model(), network.fold(), model, data);
        }
        int[] labels = data.validation().labels();
        double speedUp = plain.seconds / stacked.seconds;
        double loss = Math.max(0, plain.validation.accuracy(labels) - stacked.validation.accuracy(labels));
        measured.putAll(folding(speedUp, loss, large.seconds / plain.seconds));
        return measured.get("folded") == 1 ? stacked : plain;
    }

    /** Whether folding pays. If nothing is lost it always does: there is no bound, and JSON has no number for that. */
    static Map<String, Double> folding(double speedUp, double loss, double ratio) {
        double most = speedUp > 1 ? FoldPlanner.breakEven(speedUp, loss) : 0;
        Map<String, Double> measured = new LinkedHashMap<>();
        measured.put("folding: speed-up", speedUp);
        measured.put("folding: accuracy lost", loss);
        if (Double.isFinite(most)) {
            measured.put("folding: pays below", most);
        }
        measured.put("large/small", ratio);
        measured.put("folded", ratio < most ? 1.0 : 0.0);
        return measured;
    }
}
