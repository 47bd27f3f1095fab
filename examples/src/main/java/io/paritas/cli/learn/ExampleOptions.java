/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of what a deployed model has answered: images, or queries that were logged with its predictions. */
@Command
final class ExampleOptions {
    @Mixin
    private DataOptions data;

    @Option(
            names = "--queries",
            paramLabel = "FILE",
            description = "Logged queries instead of images: float32 values, little-endian, row by row.")
    private Path queries;

    @Option(
            names = "--predictions",
            paramLabel = "FILE",
            description = "The deployed model's predictions for the logged queries, in the same format.")
    private Path predictions;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Loads the images, unless there are logged queries. */
    Optional<Data> images() {
        if ((queries == null) != (predictions == null)) {
            throw new ParameterException(
                    command.commandLine(), "Logged queries need --queries and --predictions, both or neither.");
        }
        List<String> given = DataOptions.given(command.commandLine());
        if (queries != null && !given.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "Logged queries are used without options of images, got " + String.join(", ", given) + ".");
        }
        return queries == null ? Optional.of(data.load()) : Optional.empty();
    }

    /** The images, or else the logged queries, with the model's answers. */
    ExampleSplit answered(Optional<Data> images, LoadedModel deployed) throws IOException {
        return images.isPresent()
                ? ExampleSplit.of(images.get(), deployed)
                : LoggedQueries.read(queries, predictions, deployed.model());
    }
}
