/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.learn.TrainCommand;
import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.cli.spark.jobs.ClassifyFolder;
import io.paritas.inference.Device;
import io.paritas.inference.data.Glyphs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.inference.torch.LibTorch;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import picocli.CommandLine;

/** The run on Spark: classifies images, plainly and coded, while a task sleeps and while an executor is killed. */
final class SparkQuickstart {
    private static final String ROW = "  %-34s %8s %8s   %s%n";
    private static final String LEGEND = "  plain, coded: predict and coded_predict, with the same trouble.%n"
            + "  reconstructed: rows that the coded job got from others, because their task was late or dead, and"
            + " how many of%n"
            + "  them have the same label as in the plain job. Some tasks are late without trouble, too.%n";

    /** Seed of the glyphs; the model is trained on those of seed 1. */
    private static final Glyphs IMAGES = new Glyphs(600, 2, 28, 1, 10);

    /* A class that cannot be loaded here, without Spark. */
    private static final String PLUGIN = "io.paritas.spark.ParitasPlugin";

    private static final String TRAINING_DATA = "glyphs:count=10000,seed=1";

    private final SparkOptions options;
    private final StandaloneCluster cluster;
    private final Progress progress;
    private final StringBuilder table = new StringBuilder();

    SparkQuickstart(SparkOptions options, StandaloneCluster cluster, Progress progress) {
        this.options = options;
        this.cluster = cluster;
        this.progress = progress;
    }

    /** Refuses to start where models would have to be trained and cannot be. */
    static void requireTraining(SparkOptions options) {
        if (options.model().isEmpty()) {
            LibTorch.unavailable(Device.CPU).ifPresent(reason -> {
                throw new CheckFailed(
                        reason + ". Without it nothing is trained here: name a model with --model and --parity");
            });
        }
    }

    /**
     * Runs everything, and returns the report.
     *
     * @throws CheckFailed if a row is lost or another check fails
     */
    String run() throws Exception {
        Path model = options.model().isPresent() ? options.model().get() : train();
        Path images = options.images().isPresent() ? options.images().get() : draw();
        long count = SparkOptions.images(images);
        row("", "plain s", "coded s", "reconstructed");
        classify("no trouble", model, images, count);
        String sleep = String.valueOf(options.straggler());
        classify("a task sleeps " + sleep + " s", model, images, count, "--straggler", sleep);
        classify("an executor is killed", model, images, count, "--kill");
        return table
                + String.format(
                        Locale.ROOT,
                        "%n" + LEGEND + "%n  No row was lost: each of the 6 jobs gave %d rows, one for each image.%n",
                        count);
    }

    private Path draw() throws Exception {
        Path folder = folder("images");
        return progress.step("draw " + IMAGES.count() + " images of digits", () -> {
                    ImageSet images = IMAGES.draw();
                    for (int i = 0; i < images.size(); i++) {
                        Path group = Files.createDirectories(
                                folder.resolve(images.classes().get(images.label(i))));
                        ImageIO.write(
                                gray(images.image(i)),
                                "png",
                                group.resolve(i + ".png").toFile());
                    }
                    return folder;
                })
                .value();
    }

    private static BufferedImage gray(byte[] pixels) {
        BufferedImage image = new BufferedImage(IMAGES.side(), IMAGES.side(), BufferedImage.TYPE_BYTE_GRAY);
        image.getRaster().setDataElements(0, 0, IMAGES.side(), IMAGES.side(), pixels);
        return image;
    }

    /** Trains a classifier and its parity model. */
    private Path train() throws Exception {
        Path folder = folder("models");
        Path model = folder.resolve("base.onnx");
        train("train a classifier", "base", folder, "--epochs", "3");
        train("train its parity model, k = 2", "parity", folder, "--model", model.toString(), "--epochs", "20");
        return model;
    }

    private void train(String step, String what, Path folder, String... more) throws Exception {
        Path log = cluster.folder().resolve("logs").resolve("train-" + what + ".log");
        List<String> command = Stream.concat(
                        Stream.of(what, "--data", TRAINING_DATA, "--out", folder.toString()), Stream.of(more))
                .toList();
        progress.step(step, () -> {
            try (PrintWriter out = new PrintWriter(log.toFile(), StandardCharsets.UTF_8)) {
                int status = new CommandLine(new TrainCommand())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(out)
                        .setErr(out)
                        .execute(command.toArray(String[]::new));
                CheckFailed.require(
                        status == 0, "paritas train %s must end with 0, got %d", String.join(" ", command), status);
            }
            return log;
        });
    }

    /** Submits the program that classifies twice. */
    private void classify(String trouble, Path model, Path images, long count, String... more) throws Exception {
        Path labels = folder("labels");
        List<String> arguments = Stream.concat(
                        Stream.of(model, images, labels)
                                .map(path -> path.toAbsolutePath().toString()),
                        Stream.of(more))
                .toList();
        Classification done = progress.step("classify " + count + " images, " + trouble, () -> {
                    Process job = cluster.submit(
                            SparkHome.examples(),
                            ClassifyFolder.class.getName(),
                            List.of(),
                            settings(),
                            arguments.toArray(String[]::new));
                    String printed = new String(job.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                    int status = job.waitFor();
                    CheckFailed.require(
                            status == 0,
                            "ClassifyFolder must end with 0, got %d: %s. It had printed: %s",
                            status,
                            cluster.reason(),
                            printed);
                    return Classification.parse(printed);
                })
                .value();
        CheckFailed.require(
                done.plain().complete(count) && done.coded().complete(count),
                "each job must give one row with a label for each of the %d images, got %s",
                count,
                done);
        row(trouble, seconds(done.plain()), seconds(done.coded()), done.reconstructed());
    }

    private Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("spark.plugins", PLUGIN);
        settings.putAll(cluster.withJars(SparkHome.paritas()));
        settings.put(InputSettings.SCALE.key(), String.valueOf(1 / 255f));
        options.parity()
                .ifPresent(path -> settings.put(
                        CodedSettings.PARITY.key(), path.toAbsolutePath().toString()));
        settings.putAll(options.settings());
        return settings;
    }

    private Path folder(String name) throws IOException {
        return Files.createDirectories(cluster.folder().resolve("quickstart").resolve(name));
    }

    private void row(String what, String plain, String coded, String reconstructed) {
        table.append(String.format(Locale.ROOT, ROW, what, plain, coded, reconstructed));
    }

    private static String seconds(Classification.Job job) {
        return String.format(Locale.ROOT, "%.1f", job.seconds());
    }
}
