/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What {@code --spark} allows. */
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
            description = "How long a task sleeps; the plain job is waited for. Default: 20")
    private double straggler = 20;

    @Option(
            names = "--model",
            paramLabel = "FILE",
            description = "The classifier, instead of a small one that is trained.")
    private Path model;

    @Option(
            names = "--parity",
            paramLabel = "DIR",
            description = "Its parity models, made by paritas train parity. Default: beside it")
    private Path parity;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "What to classify with --model: PNG, JPEG, GIF or BMP. Default: drawn digits of 28x28, gray")
    private Path images;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description =
                    "A property of Spark, such as spark.paritas.input.mean=0.5. Images are scaled to values from 0 to"
                            + " 1 unless it says otherwise.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Checks what is known without a cluster. */
    void check() {
        CheckFailed.require(straggler >= 0, "SECONDS are 0 or more; got %s", straggler);
        CheckFailed.require(
                model != null || (parity == null && images == null),
                "--parity and --images belong to a --model, which is missing. Name it, or leave them out");
        CheckFailed.require(
                model == null || Files.isReadable(model),
                "--model is a file that can be read; got %s. Name another one",
                model);
        CheckFailed.require(
                parity == null || Files.isReadable(parity.resolve("parity.json")),
                "--parity is a folder with parity.json; got %s. Make it with paritas train parity",
                parity);
        CheckFailed.require(
                images == null || Files.isDirectory(images), "--images is a folder; got %s. Name another one", images);
    }

    double straggler() {
        return straggler;
    }

    Optional<Path> model() {
        return Optional.ofNullable(model);
    }

    /** Where the parity models of {@link #model} are, if that is said. */
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
