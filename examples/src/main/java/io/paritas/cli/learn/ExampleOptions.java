/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.data.Examples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of what a deployed model is asked: queries that were logged, perhaps with its predictions, in place of images. */
@Command
final class ExampleOptions {
    private static final List<String> IMAGE_OPTIONS = List.of("--data", "--limit", "--validation", "--augment");

    @Option(
            names = "--queries",
            paramLabel = "FILE",
            description = "Logged queries instead of images: float32 values, little-endian, row by row.")
    private Path queries;

    @Option(
            names = "--predictions",
            paramLabel = "FILE",
            description =
                    "The deployed model's own outputs for the logged queries, in the same format. Default: the model"
                            + " predicts them")
    private Path predictions;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** What a model is measured on. */
    record Test(Examples examples, String description) {}

    /** Loads the images, unless there are logged queries. */
    Optional<Data> unlessLogged(Supplier<Data> images) {
        Usage usage = new Usage(command);
        usage.check(
                predictions == null || queries != null,
                "--predictions are those of logged queries: name --queries, too.");
        List<String> given = IMAGE_OPTIONS.stream()
                .filter(command.commandLine().getParseResult()::hasMatchedOption)
                .toList();
        usage.check(
                queries == null || given.isEmpty(),
                "Logged queries are used without options of images, got %s.",
                String.join(", ", given));
        usage.requireFile("--queries", queries);
        usage.requireFile("--predictions", predictions);
        return queries == null ? Optional.of(images.get()) : Optional.empty();
    }

    /** What is loaded: the images of a source, unless there are logged queries. */
    String source(String images) {
        return queries == null ? "the images " + images : "the logged queries " + queries;
    }

    /**
     * The images, or else the logged queries, with the model's answers.
     *
     * @param group examples that the test must have
     */
    ExampleSplit answered(Optional<Data> images, LoadedModel deployed, int group) throws IOException {
        if (images.isPresent()) {
            return ExampleSplit.of(images.get(), deployed, group);
        }
        ExampleSplit logged = logged(deployed).split();
        ExampleSplit.requireTest(logged.test().count(), group);
        return logged;
    }

    /** The images of the test, or else the last of the logged queries, with the model's answers. */
    Test test(Optional<Data> images, LoadedModel deployed) throws IOException {
        if (images.isPresent()) {
            return new Test(deployed.answer(images.get().test()), images.get().description());
        }
        return logged(deployed).test();
    }

    private LoggedQueries logged(LoadedModel deployed) throws IOException {
        return LoggedQueries.read(queries, Optional.ofNullable(predictions), deployed.model());
    }
}
