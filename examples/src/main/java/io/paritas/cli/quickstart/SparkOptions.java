/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.inference.code.Codes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Option;

/** The options with {@code --spark}. */
final class SparkOptions {
    @Option(
            names = "--spark",
            required = true,
            description = "Classify images on a Spark cluster instead, and kill an executor.")
    @SuppressWarnings("UnusedVariable") // without it the others are refused
    private boolean spark;

    @Option(
            names = "--straggler",
            paramLabel = "SECONDS",
            description = "Time that a task sleeps, which the plain job waits for. Default: 20")
    private double straggler = 20;

    @Option(names = "--model", paramLabel = "FILE", description = "The classifier. Default: a small one is trained")
    private Path model;

    @Option(
            names = "--parity",
            paramLabel = "DIR",
            description = "Its parity models, made by paritas train parity. Default: beside it")
    private Path parity;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description =
                    "Images to classify with --model: PNG, JPEG, GIF or BMP. Default: drawn digits of 28x28, gray")
    private Path images;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description =
                    "A property of Spark, such as spark.paritas.input.mean=0.5. Images are scaled to values from 0 to"
                            + " 1 unless a property changes that.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Checks what can be checked without a cluster. */
    void check() throws IOException {
        CheckFailed.require(straggler >= 0, "--straggler must be at least 0, got %s", straggler);
        CheckFailed.require(
                model != null || (parity == null && images == null),
                "--parity and --images belong to a --model, which is missing. Name it, or leave them out");
        CheckFailed.require(
                model == null || Files.isReadable(model),
                "--model must be a readable file, got %s: name another one",
                model);
        CheckFailed.require(
                parity == null || Codes.in(parity).isPresent(),
                "--parity must be a folder with %s, got %s: make it with paritas train parity or train code",
                Codes.FILES,
                parity);
        CheckFailed.require(
                images == null || Files.isDirectory(images),
                "--images must be a folder, got %s: name another" + " one",
                images);
        CheckFailed.require(
                images == null || images(images) > 0,
                "--images must be a folder with images in it or below it, %s has none: name another one",
                images);
    }

    /** How many files Spark reads in a folder and below it: none whose name, or that of a folder, begins with a dot or an underscore. */
    static long images(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(folder::relativize)
                    .filter(file -> StreamSupport.stream(file.spliterator(), false)
                            .noneMatch(name -> name.toString().matches("[._].*")))
                    .count();
        }
    }

    double straggler() {
        return straggler;
    }

    Optional<Path> model() {
        return Optional.ofNullable(model);
    }

    /** The folder of the parity models of {@link #model}, if given. */
    Optional<Path> parity() {
        return Optional.ofNullable(parity);
    }

    Optional<Path> images() {
        return Optional.ofNullable(images);
    }

    Map<String, String> settings() {
        return settings;
    }
}
