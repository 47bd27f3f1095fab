/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code paritas recommend} that name files of clicks and what is in them. */
final class DataOptions {
    /** What is done to dense numbers. */
    enum Scale {
        NONE,
        LOG
    }

    @Option(
            names = "--data",
            paramLabel = "PATH",
            description =
                    "Train on this file or folder instead of generated clicks: Parquet (*.parquet), or text with tabs, with"
                            + " the columns' names in the first line or with Criteo's 40 columns. Nothing is killed then without"
                            + " --kill")
    private Optional<String> data = Optional.empty();

    @Option(names = "--label", paramLabel = "COLUMN", description = "Column with 1 for a click. Default: label")
    private Optional<String> label = Optional.empty();

    @Option(
            names = "--dense",
            paramLabel = "COLUMN",
            split = ",",
            description = "Columns with numbers. Default: Criteo's I1 to I13, with --scale log")
    private List<String> dense = List.of();

    @Option(
            names = "--categorical",
            paramLabel = "COLUMN",
            split = ",",
            description =
                    "Columns with categories, each with an embedding table of --rows. Default: Criteo's C1 to C26")
    private List<String> categorical = List.of();

    @Option(
            names = "--scale",
            paramLabel = "HOW",
            description = "Of dense numbers: none, or log for ln(1 + max(x, 0)), which suits counts. Default: none")
    private Optional<Scale> scale = Optional.empty();

    @Option(
            names = "--vocabulary",
            paramLabel = "N",
            description =
                    "Give the N most frequent categories of each column rows of their own, and all others one row together."
                            + " Default: categories are hashed into --rows")
    private Optional<Integer> vocabulary = Optional.empty();

    @Option(
            names = "--held-out",
            paramLabel = "SHARE",
            description = "Share of the samples that the model is evaluated with after each epoch. Default: 0.1")
    private Optional<Double> heldOut = Optional.empty();

    boolean isGiven() {
        return data.isPresent();
    }

    /** Whether there are samples to evaluate a model with; generated ones always are. */
    boolean holdsOut() {
        return heldOut.isEmpty() || heldOut.get() > 0;
    }

    /** Returns a path of this machine at which nothing is. One with a scheme or a wildcard is looked for by the cluster. */
    Optional<String> missing() {
        return data.filter(path -> path.matches("[^:*?\\[{]+") && !Files.exists(Path.of(path)));
    }

    /** Returns what is wrong with these options; empty if nothing is. */
    Optional<String> problem() {
        boolean any = label.isPresent()
                || !dense.isEmpty()
                || !categorical.isEmpty()
                || scale.isPresent()
                || vocabulary.isPresent()
                || heldOut.isPresent();
        if (data.isEmpty()) {
            return any
                    ? Optional.of(
                            "--label, --dense, --categorical, --scale, --vocabulary and --held-out describe the files of"
                                    + " --data, which is missing: add it")
                    : Optional.empty();
        }
        if (dense.isEmpty() != categorical.isEmpty()) {
            return Optional.of("--dense and --categorical must be given together, or neither for Criteo's columns");
        }
        if (dense.isEmpty() && (label.isPresent() || scale.isPresent())) {
            return Optional.of("--label and --scale need --dense and --categorical: Criteo's columns have both");
        }
        if (vocabulary.isPresent() && vocabulary.get() < 1) {
            return Optional.of("--vocabulary must be at least 1, got " + vocabulary.get());
        }
        if (heldOut.isPresent() && !(heldOut.get() >= 0 && heldOut.get() < 1)) {
            return Optional.of("--held-out must be at least 0 and below 1, got " + heldOut.get());
        }
        return Optional.empty();
    }

    /** Settings of the training's program. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        data.ifPresent(path -> arguments.add("data=" + uri(path)));
        label.ifPresent(name -> arguments.add("label=" + name));
        arguments.add("dense=" + String.join(",", dense));
        arguments.add("categorical=" + String.join(",", categorical));
        scale.ifPresent(how -> arguments.add("scale=" + how.name().toLowerCase(Locale.ROOT)));
        vocabulary.ifPresent(most -> arguments.add("vocabulary=" + most));
        heldOut.ifPresent(share -> arguments.add(String.format(Locale.ROOT, "heldOut=%.9f", share)));
        return arguments;
    }

    /** A path without a scheme is one of this machine. Hadoop takes names as they are, without escapes. */
    static String uri(String path) {
        return path.matches("\\w[\\w+.-]+:/.*")
                ? path
                : new org.apache.hadoop.fs.Path(Path.of(path).toAbsolutePath().toUri()).toString();
    }
}
